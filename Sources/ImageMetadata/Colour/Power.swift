#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

/// x to the power of y.
func power(_ x: Double, _ y: Double) -> Double { pow(x, y) }
