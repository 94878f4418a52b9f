// Public signatures of this module use types of this: libraries, dates and errors.
@_exported public import AssetCatalog
