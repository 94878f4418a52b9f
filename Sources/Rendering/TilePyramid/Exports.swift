// PixelSize is part of the levels and of the pictures of requests.
@_exported public import ViewportGeometry
