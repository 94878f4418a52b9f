public import ViewportGeometry

/// What a level-0 image server is asked for, in canonical form: `{region}/{size}/0/default.{format}`.
///
/// Source: IIIF Image API 3.0, sections 4.1, 4.2 and 4.7.
public struct IIIFAddress: Hashable, Sendable {
    /// The part of the image, in full-resolution pixels.
    public enum Region: Hashable, Sendable {
        case full
        case rect(PixelRect<UprightGrid>)
    }

    /// The size of the picture.
    public enum Size: Hashable, Sendable {
        case max
        case exact(PixelSize<UprightGrid>)
    }

    public var region: Region
    public var size: Size
    /// The ending, without a dot.
    public var format: String

    public init(region: Region, size: Size, format: String) {
        self.region = region
        self.size = size
        self.format = format
    }

    /// The address below that of the image.
    public var path: String { "\(region)/\(size)/0/default.\(format)" }

    /// Parses a path in canonical form; nil for every other.
    public init?(path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[2] == "0", parts[3].hasPrefix("default."),
            let region = Region(parts[0]), let size = Size(parts[1])
        else { return nil }
        let format = parts[3].dropFirst("default.".count)
        guard (1...8).contains(format.utf8.count), format.utf8.allSatisfy(\.isLetterOrDigit) else {
            return nil
        }
        self.init(region: region, size: size, format: String(format))
        guard self.path == path else { return nil }
    }
}

extension IIIFAddress.Region: CustomStringConvertible {
    public var description: String {
        switch self {
        case .full: "full"
        case .rect(let rect): "\(rect.x),\(rect.y),\(rect.width),\(rect.height)"
        }
    }

    fileprivate init?(_ text: Substring) {
        if text == "full" {
            self = .full
            return
        }
        guard let values = numbers(text, count: 4), values[2] > 0, values[3] > 0 else { return nil }
        self = .rect(PixelRect(x: values[0], y: values[1], width: values[2], height: values[3]))
    }
}

extension IIIFAddress.Size: CustomStringConvertible {
    public var description: String {
        switch self {
        case .max: "max"
        case .exact(let size): "\(size.width),\(size.height)"
        }
    }

    fileprivate init?(_ text: Substring) {
        if text == "max" {
            self = .max
            return
        }
        guard let values = numbers(text, count: 2), values[0] > 0, values[1] > 0 else { return nil }
        self = .exact(PixelSize(width: values[0], height: values[1]))
    }
}

/// The numbers of "1,2,3"; nil where there are not `count` of digits only.
private func numbers(_ text: Substring, count: Int) -> [Int]? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let values = parts.compactMap { Int(digits: $0) }
    return parts.count == count && values.count == count ? values : nil
}
