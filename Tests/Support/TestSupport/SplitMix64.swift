// The generator of the package, for all tests.
@_exported public import struct Basics.SplitMix64
