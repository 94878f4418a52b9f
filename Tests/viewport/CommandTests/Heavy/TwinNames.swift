import Foundation
import TestSupport
import Vips

/// Two names of files that are equal only after Unicode normalization: "é" as one scalar, and as two.
enum Twin: String, CaseIterable {
    /// The letter with its accent, as Linux and Windows write it.
    case composed = "caf\u{E9}"
    /// The letter and an accent, as macOS writes it.
    case decomposed = "cafe\u{301}"

    /// Returns a text with this name in the place of "TWIN".
    func filled(_ text: String) -> String { text.replacing("TWIN", with: rawValue) }
}

/// A folder with two images whose names are twins: one is wide, the other is high.
struct TwinFolder {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for twin in Twin.allCases {
            let photo = try TestImages.photo(
                width: twin == .composed ? 80 : 60, height: twin == .composed ? 60 : 80)
            for name in ["TWIN.jpg", "TWIN/a.jpg"] {
                let path = folder.path("photos/" + twin.filled(name))
                try FileManager.default.createDirectory(
                    atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
                try photo.save(path, with: "jpegsave")
            }
        }
        try write(Twin.allCases.map { $0.filled(#"{"path":"photos/TWIN.jpg","id":"TWIN"}"#) }, to: "ids")
        try write(Twin.allCases.map { $0.filled(#"{"path":"photos/TWIN.jpg"}"#) }, to: "paths")
        for twin in Twin.allCases {
            try write([twin.filled(#"{"path":"photos/TWIN.jpg","id":"TWIN"}"#)], to: "\(twin)")
        }
        let card = #"{"views":{"photo":{"image":"{path}"}},"formats":["H:|[photo]|","V:|[photo]"]}"#
        try write([card], to: "card")
    }

    func write(_ lines: [String], to name: String) throws {
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(
            to: folder.url.appendingPathComponent(name))
    }

    /// Runs the program in the folder.
    func run(_ arguments: [String]) async throws -> BuiltProgram.Result {
        try await BuiltProgram("viewport").run(
            arguments, in: folder.url, environment: ["XDG_CACHE_HOME": folder.path("cache")])
    }

    /// Returns a file's bytes; nil if there is none of exactly this name.
    func bytes(_ name: String) -> Data? { FileManager.default.contents(atPath: folder.path(name)) }

    /// The paths of all visible files below a folder, by their bytes.
    func files(below name: String) -> Set<[UInt8]> { Set(folder.files(below: name).map { Array($0.utf8) }) }
}
