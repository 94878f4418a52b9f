// Gain maps have a size.
@_exported public import ViewportGeometry
