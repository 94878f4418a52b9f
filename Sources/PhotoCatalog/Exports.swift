// Types of these modules are in the signatures of this one: dates, locations and formats of assets, and their sizes.
@_exported public import ImageMetadata
@_exported public import ViewportGeometry
