// Public signatures of this module use types of these: assets and pictures.
@_exported public import PhotoCatalog
@_exported public import ViewportRendering
