// Types of these modules are in the signatures of this one, or were part of it before it was divided: files, viewports,
// pictures, tiles and encoders; levels of pyramids, EXIF and color profiles of files, memory pressure, options of remote
// files, resampling kernels, progress.
@_exported public import ImageMetadata
@_exported public import ImageReading
@_exported public import MemoryWatching
@_exported public import PictureEncoding
@_exported public import Pictures
@_exported public import RemoteFiles
@_exported public import Resampling
@_exported public import ScrollModel
@_exported public import TileLoading
@_exported public import TilePyramid
@_exported public import ViewportGeometry
@_exported public import Viewports
@_exported public import WorkReporting
