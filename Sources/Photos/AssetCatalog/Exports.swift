// Public signatures of this module use types of these: dates, locations, formats and sizes of assets, names of places, progress.
@_exported public import ImageMetadata
@_exported public import Places
@_exported public import ViewportGeometry
@_exported public import WorkReporting
