// Types of these modules are in the signatures of this one: viewports and sizes, levels of pyramids, EXIF and color
// profiles of files, memory pressure, options of remote files, resampling kernels.
@_exported public import ImageMetadata
@_exported public import MemoryWatching
@_exported public import RemoteFiles
@_exported public import Resampling
@_exported public import ScrollModel
@_exported public import TilePyramid
@_exported public import ViewportGeometry
