#if Server && Library
// Libraries and the server that shows them are part of this product's own declarations.
@_exported public import PhotoCatalog
@_exported public import TileServing
#endif
