// Public signatures of this module use types of this: libraries, assets and errors.
@_exported public import AssetCatalog
