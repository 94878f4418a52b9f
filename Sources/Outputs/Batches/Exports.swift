// Images, viewports and formats are ViewportRendering's.
@_exported public import ViewportRendering
