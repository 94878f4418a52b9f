package import Assets
package import Basics
package import Files
internal import Foundation
package import ImageMetadata
internal import ViewportGeometry

/// The file of a lossless export that has what only the catalog knows, as JSON lines.
///
/// The first line has the names of the picks and the albums in their order; each other one is an asset: the path of its copy,
/// its places in albums, the groups of duplicates in which it is kept, its annotations, and what the catalog knows of it.
package enum LosslessDocument {
    /// The name of the file, in the folder of an export.
    package static let name = "viewport-library.jsonl"
    private static let version = 1
    /// The most bytes of a line: one asset with some hundred thousand annotations.
    package static let longestLine = 1 << 26

    /// The first line.
    package struct Header: Equatable, Sendable {
        package var picks: String
        package var albums: [String]
        /// Whether files in different folders can be one stack.
        package var stacksJoinFolders = false
        /// The words of edited copies that imports have found.
        package var editedWords: [String] = []

        package var line: String {
            let members: KeyValuePairs<String, JSONValue?> = [
                "format": .string("viewport-library"), "version": .int(LosslessDocument.version),
                "picks": .string(picks), "albums": .array(albums.map(JSONValue.string)),
                "stacksJoinFolders": stacksJoinFolders ? .bool(true) : nil,
                "editedWords": editedWords.isEmpty ? nil : .array(editedWords.map(JSONValue.string)),
            ]
            return "\(JSONValue.object(members))\n"
        }

        /// Reads the first line; nil if it is one of another file.
        package init?(_ bytes: [UInt8]) throws(InvalidText) {
            guard let value = try? JSONValue(parsing: bytes), value["format"]?.string == "viewport-library"
            else {
                return nil
            }
            guard value["version"] == .int(LosslessDocument.version), let picks = value["picks"]?.string,
                let albums = value["albums"]?.array?.compactMap(\.string)
            else { throw InvalidText("was written by a newer version, or its first line is damaged") }
            (self.picks, self.albums) = (picks, albums)
            stacksJoinFolders = value["stacksJoinFolders"] == .bool(true)
            editedWords = value["editedWords"]?.array?.compactMap(\.string) ?? []
        }

        package init(picks: String, albums: [String]) { (self.picks, self.albums) = (picks, albums) }
    }

    /// What the catalog states beside the files of an asset.
    package struct Entry: Equatable, Sendable {
        /// The path of the copy, below the folder of the document.
        package var path: FilePath
        /// The positions in albums, by their names.
        package var albums: [(name: String, position: Int)] = []
        /// The position among the picks; nil if it is none of them.
        package var pick: Int?
        /// The numbers of the groups of duplicates of which all members are kept.
        package var kept: [Int] = []
        /// Whether it was chosen as the cover of its stack.
        package var isCover = false
        /// Its named parts.
        package var annotations: [Annotation] = []
        /// What the catalog knew that no file states: dates from times of files or in an assumed zone, positions by tracks.
        package private(set) var completion = Completion()

        package static func == (a: Self, b: Self) -> Bool {
            a.path == b.path && a.pick == b.pick && a.kept == b.kept && a.isCover == b.isCover
                && a.annotations == b.annotations && a.completion == b.completion
                && a.albums.elementsEqual(b.albums) { $0 == $1 }
        }

        /// Returns the line of an asset, with all that is known of it for other programs.
        package func line(_ asset: Asset) throws -> String {
            let coder = JSONEncoder()
            coder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let known = try JSONValue(parsing: Array(coder.encode(asset)))
            let albums = albums.map { album in
                JSONValue.object(["name": .string(album.name), "position": .int(album.position)])
            }
            let members: KeyValuePairs<String, JSONValue?> = [
                "path": .string(path.text), "albums": albums.isEmpty ? nil : .array(albums),
                "pick": pick.map(JSONValue.int), "kept": kept.isEmpty ? nil : .array(kept.map(JSONValue.int)),
                "isCover": isCover ? .bool(true) : nil,
                "annotations": annotations.isEmpty ? nil : .array(annotations.map(\.value)),
                "asset": known,
            ]
            return "\(JSONValue.object(members))\n"
        }

        package init(path: FilePath) { self.path = path }

        package init(_ line: [UInt8]) throws(InvalidText) {
            guard let value = try? JSONValue(parsing: line), let path = value["path"]?.string else {
                throw InvalidText("is no JSON object with a path")
            }
            self.path = FilePath(path)
            for album in value["albums"]?.array ?? [] {
                guard let name = album["name"]?.string, let position = album["position"]?.int else {
                    throw InvalidText("has an album without name or position")
                }
                albums.append((name, position))
            }
            pick = value["pick"]?.int
            kept = value["kept"]?.array?.compactMap(\.int) ?? []
            isCover = value["isCover"] == .bool(true)
            for annotation in value["annotations"]?.array ?? [] {
                guard let annotation = Annotation(annotation) else {
                    throw InvalidText("has an annotation without a part, a name or times")
                }
                annotations.append(annotation)
            }
            if let known = value["asset"] { completion = Completion(known) }
        }
    }

    /// What the catalog knew of an asset that neither its file nor its sidecar states.
    package struct Completion: Equatable, Sendable {
        /// How its date was completed.
        package struct Dating: Hashable, Sendable {
            package var zone: String?
            package var offset: UTCOffset?
            package var usesFileTime = false

            package init() {}

            /// The zone that gives all dates this offset.
            package var assumedZone: AssumedZone? {
                zone.map { name in AssumedZone(name: name) { [offset] _ in offset } }
            }
        }

        package var dating = Dating()
        /// The position that a track gave it.
        package var location: Location?

        package init() {}

        fileprivate init(_ asset: JSONValue) {
            guard let asset = try? JSONDecoder().decode(Asset.self, from: Data("\(asset)".utf8)) else {
                return
            }
            dating.usesFileTime = asset.date?.source == .fileTime
            if case .assumed(let zone)? = asset.date?.zoneSource {
                (dating.zone, dating.offset) = (zone, asset.date?.offset)
            }
            if asset.location?.source == .track { location = asset.location }
        }
    }
}

extension Annotation {
    /// Its form in a document: the part of the upright picture in pixels, and times in seconds since 1970.
    fileprivate var value: JSONValue {
        let numbers = [rect.x, rect.y, rect.width, rect.height].map(JSONValue.int)
        return .object([
            "name": .string(name), "rect": .array(numbers),
            "created": .int(Int(created.timeIntervalSince1970)),
            "modified": .int(Int(modified.timeIntervalSince1970)), "version": .int(version),
        ])
    }

    fileprivate init?(_ value: JSONValue) {
        guard let name = value["name"]?.string, let rect = value["rect"]?.array?.compactMap(\.int),
            rect.count == 4, let created = value["created"]?.int, let modified = value["modified"]?.int
        else { return nil }
        self.init(
            PixelRect(x: rect[0], y: rect[1], width: rect[2], height: rect[3]), name: name,
            created: Date(timeIntervalSince1970: Double(created)),
            modified: Date(timeIntervalSince1970: Double(modified)), version: value["version"]?.int ?? 1)
    }
}
