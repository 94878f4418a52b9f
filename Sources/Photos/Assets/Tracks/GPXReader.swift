internal import Basics
internal import Files
internal import ImageMetadata

/// Reads the track points of a GPX file with a streaming parser.
///
/// Routes and waypoints are skipped, since they are plans, as are points without a position or a time.
///
/// Source: GPX 1.1 Schema Documentation, topografix.com.
struct GPXReader {
    /// Points of the segments in the order of the file.
    private(set) var segments: [[TrackPoint]] = []
    private var point: TrackPoint?
    /// The text of the current element.
    private var text = ""

    /// - Throws: `XMLSyntaxError` if the text is not GPX or ends too early.
    init(_ bytes: [UInt8]) throws(XMLSyntaxError) {
        var reader = XMLReader(bytes)
        var depth = 0
        while let token = try reader.next() {
            switch token {
            case .open(let name, let attributes, let isEmpty):
                let name = Self.local(name)
                guard depth > 0 || name == "gpx" else { throw XMLSyntaxError(offset: reader.offset) }
                open(name, attributes)
                if isEmpty { close(name) } else { depth += 1 }
            case .close(let name):
                close(Self.local(name))
                depth -= 1
            case .text(let more): text += more
            }
        }
        guard depth == 0, !bytes.isEmpty else { throw XMLSyntaxError(offset: reader.offset) }
    }

    private mutating func open(_ name: Substring, _ attributes: [XMLReader.Attribute]) {
        text = ""
        if name == "trkseg" || name == "trkpt" && segments.isEmpty { segments.append([]) }
        guard name == "trkpt" else { return }
        func degrees(_ name: String, _ limit: Double) -> Double? {
            attributes.first { $0.name == name }.flatMap { Double($0.value) }.flatMap {
                abs($0) <= limit ? $0 : nil
            }
        }
        guard let latitude = degrees("lat", 90), let longitude = degrees("lon", 180) else { return }
        point = TrackPoint(instant: .nan, latitude: latitude, longitude: longitude)
    }

    private mutating func close(_ name: Substring) {
        defer { text = "" }
        switch name {
        case "time": point?.instant = Self.instant(text) ?? .nan
        case "ele": point?.altitude = Self.number(text)
        case "hdop": point?.horizontalDilution = Self.number(text).flatMap { $0 > 0 ? $0 : nil }
        case "trkpt":
            if let point, point.instant.isFinite { segments[segments.count - 1].append(point) }
            point = nil
        default: break
        }
    }

    /// Returns the seconds since 1970 of "2014-05-25T08:00:00.25Z" or "2014-05-25T10:00:00+02:00"; times without a
    /// zone are UTC, as GPX defines.
    private static func instant(_ text: String) -> Double? {
        guard let date = DateText(text), date.hasTime else { return nil }
        let clock = date.clock
        let fraction = clock.fraction.isEmpty ? 0 : Double("0." + clock.fraction) ?? 0
        return Double(clock.wholeSeconds - (date.offset?.minutes ?? 0) * 60) + fraction
    }

    private static func number(_ text: String) -> Double? {
        Double(text.trimmed()).flatMap { abs($0) < 1e9 ? $0 : nil }
    }

    /// Returns a name without its namespace prefix.
    private static func local(_ name: String) -> Substring {
        name.lastIndex(of: ":").map { name[name.index(after: $0)...] } ?? name[...]
    }
}

extension Track {
    /// Reads the track points of a GPX file, without those that lack a position or a time.
    package init(gpx path: String) throws {
        let bytes: [UInt8]
        do {
            bytes = try InputFile.contents(path)
        } catch {
            throw LibraryError(.unreadable(file: path, reason: error.description))
        }
        do throws(XMLSyntaxError) {
            self.init(segments: try GPXReader(bytes).segments)
        } catch {
            throw LibraryError(.gpxSyntax(file: path, offset: error.offset))
        }
        if isEmpty { throw LibraryError(.noTrackPoints(file: path)) }
    }
}
