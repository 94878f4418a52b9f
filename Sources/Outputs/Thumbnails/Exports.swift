// Formats, limits and errors of pictures are part of this product's own declarations.
@_exported public import ViewportRendering
