// The C library of the system, whichever it is: all other files import this module.
#if canImport(Darwin)
@_exported public import Darwin
#elseif canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#else
#error("swift-viewport needs the C library of macOS, glibc or musl")
#endif
