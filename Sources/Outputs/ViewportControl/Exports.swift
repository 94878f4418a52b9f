// Scroll views, gesture scripts, pictures, memory pressure and saved state are part of this product's own declarations.
@_exported public import MemoryWatching
@_exported public import Replay
@_exported public import SavedState
@_exported public import ScrollModel
@_exported public import ViewportGeometry
@_exported public import ViewportRendering
