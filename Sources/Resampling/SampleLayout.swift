/// How the samples of a row lie in memory: interleaved bands of one type.
package struct SampleLayout: Equatable, Sendable {
    package enum SampleType: Sendable {
        case uint8, uint16, float32

        package var bytes: Int {
            switch self {
            case .uint8: 1
            case .uint16: 2
            case .float32: 4
            }
        }
    }

    package var type: SampleType
    package var bands: Int
    /// Whether the last band is alpha: colors are weighted by it, so that transparent pixels lend no color.
    package var hasAlpha: Bool

    package init(type: SampleType, bands: Int, hasAlpha: Bool) {
        self.type = type
        self.bands = bands
        self.hasAlpha = hasAlpha
    }

    package var pixelBytes: Int { bands * type.bytes }
}

/// A sample that can be weighted as a float and comes back rounded and in range.
protocol Sample: BitwiseCopyable {
    var float: Float { get }
    init(rounding value: Float)
}

extension UInt8: Sample {
    @inline(__always) var float: Float { Float(self) }
    @inline(__always) init(rounding value: Float) { self = UInt8(Swift.min(Swift.max(value + 0.5, 0), 255)) }
}

extension UInt16: Sample {
    @inline(__always) var float: Float { Float(self) }
    @inline(__always) init(rounding value: Float) {
        self = UInt16(Swift.min(Swift.max(value + 0.5, 0), 65535))
    }
}

extension Float: Sample {
    @inline(__always) var float: Float { self }
    @inline(__always) init(rounding value: Float) { self = value }
}
