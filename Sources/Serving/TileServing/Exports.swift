#if Server
// `ChannelRequestContext` requires a property of this type.
@_exported public import protocol NIOCore.Channel
// A program makes the source of memory warnings to which its server listens.
@_exported public import MemoryWatching
#endif
