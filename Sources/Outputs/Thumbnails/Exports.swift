// Formats, limits and errors of pictures, and the results of batches, are part of this product's own declarations.
@_exported public import Batches
@_exported public import ViewportRendering
