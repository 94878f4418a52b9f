// The product: the rooms of a library under one name.
@_exported public import AssetCatalog
@_exported public import Assets
@_exported public import LibraryMaintenance
@_exported public import PhotoImport
@_exported public import Places
