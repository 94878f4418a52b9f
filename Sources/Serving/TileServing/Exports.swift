#if Server
// A program makes the source of memory warnings to which its server listens.
@_exported public import MemoryWatching
#endif
