// The types of these targets stand in public declarations of this one: EXIF and profiles of an `ImageFile`, the
// kernels of `RenderOptions`, the scroll view that a `Viewport` may be of, levels and tiles, and all geometry.
@_exported public import ImageMetadata
@_exported public import Resampling
@_exported public import ScrollModel
@_exported public import TilePyramid
@_exported public import ViewportGeometry
