// Public signatures of this module use types of these: dates, locations, formats and sizes of assets.
@_exported public import ImageMetadata
@_exported public import ViewportGeometry
