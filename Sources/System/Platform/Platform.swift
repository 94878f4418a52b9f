// The system's C library; other files import this module instead of Glibc, Musl or Darwin.
#if canImport(Darwin)
@_exported public import Darwin
#elseif canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#else
#error("swift-viewport needs the C library of macOS, glibc or musl")
#endif
