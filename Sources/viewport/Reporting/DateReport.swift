#if CommandLine
import Basics
import Containers
import Files
import ImageMetadata
import ViewportRendering

/// The dates that a file and its sidecar state: the one that counts, and why the others do not.
struct DateReport {
    private let metadata: FileMetadata

    /// Reads the headers of an image, and the sidecar beside it; nil if it is of no known format.
    init?(of image: ImageFile) {
        let path = FilePath(image.path)
        // A sidecar that cannot be read is none, as for a picture on a page.
        let sidecar = [path, path.withoutExtension].lazy.compactMap {
            try? InputFile.contents("\($0.text).xmp")
        }.first
        self.init(FileBytes(image.opened), name: path.name, sidecar: sidecar)
    }

    /// - Parameter path: the file of an asset.
    init?(ofAsset path: String, sidecar: String?) {
        let bytes = sidecar.flatMap { try? InputFile.contents($0) }
        let report = try? InputFile.read(path) {
            Self(FileBytes($0), name: FilePath(path).name, sidecar: bytes)
        }
        guard let report = report ?? nil else { return nil }
        self = report
    }

    private init?(_ bytes: FileBytes, name: FilePath, sidecar: [UInt8]?) {
        guard let metadata = FileMetadata(bytes, name: name.text, sidecar: sidecar) else { return nil }
        self.metadata = metadata
    }

    /// The date, with the zone where it is known, and its source.
    var date: String? {
        metadata.date.map { date in
            let zone = date.hasTime ? " \(date.offset?.description ?? "(zone unknown)")" : ""
            return "\(date.localText)\(zone), from \(date.source.rawValue)"
        }
    }

    /// The other dates, and positions that are out of range: "2019-03-02T10:11:12 from CreateDate is when it was digitized".
    var notices: [String] {
        metadata.dates.others.map { "\($0.date) from \($0.date.source.rawValue) \($0.reason)" }
            + [metadata.positionFault].compactMap(\.self)
    }

    /// The members of reports.
    var members: [(String, JSONValue?)] {
        [
            ("otherDates", .array(metadata.dates.others.map { Self.json($0.date, $0.reason) })),
            ("positionFault", metadata.positionFault.map(JSONValue.string)),
        ]
    }

    private static func json(_ date: CaptureDate, _ reason: String) -> JSONValue {
        .object([
            "date": .string(date.localText), "offset": date.offset.map { .string($0.description) },
            "dateSource": .string(date.source.rawValue), "reason": .string(reason),
        ])
    }
}
#endif
