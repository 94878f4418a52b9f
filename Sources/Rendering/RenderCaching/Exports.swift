// Cached images are files of ViewportRendering.
@_exported public import ViewportRendering
