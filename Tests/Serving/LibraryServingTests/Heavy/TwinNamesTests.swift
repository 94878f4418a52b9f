#if Server && Library
import Foundation
@testable import LibraryServing
import PhotoCatalog
import TestSupport
import Testing

/// Names that are equal as text: "é" in one scalar, and "e" with a combining accent.
@Suite("Photos of a library whose names are equal as text")
struct TwinNamesTests {
    private static let names = ["caf\u{E9}.jpg", "cafe\u{301}.jpg"]

    @Test("are served with their own bytes, and have two names in an archive")
    func files() async throws {
        let photos = (0..<2).map { TinyPhoto.jpeg(salt: UInt64($0)) }
        let fill: (TemporaryFolder) throws -> Void = { folder in
            for (name, photo) in zip(Self.names, photos) { try RunningLibrary.write(photo, name, folder) }
        }
        try await RunningLibrary.with(fill) { running async throws -> Void in
            var assets: [Asset] = []
            for (name, photo) in zip(Self.names, photos) {
                let asset = try #require(try await running.library.asset(path: name))
                let encoded = name.utf8.map {
                    $0 < 0x80 ? "\(Character(Unicode.Scalar($0)))" : "%\(String($0, radix: 16))"
                }
                let answer = try await running.probe.send(
                    running.address + "file/\(asset.id)/\(encoded.joined())")
                #expect(answer.status == 200 && answer.body == photo)
                assets.append(asset)
            }
            let names = ArchiveResponses.names(of: assets, side: nil)
            #expect(names[0].utf8.elementsEqual(Self.names[0].utf8))
            #expect(names[1].utf8.elementsEqual("cafe\u{301} (2).jpg".utf8))
        }
    }

    @Test("are private, also below a folder whose name begins with a combining mark")
    func isPrivate() async throws {
        let folder = try TemporaryFolder()
        let library = try await PhotoLibrary.create(folder.url.path)
        let served = ServedLibraries(all: [library])
        for path in ["a.jpg", "\u{301}trip/a.jpg", "d/\u{301}a.jpg"] {
            #expect(served.isPrivate("\(folder.url.path)/\(path)"))
        }
        #expect(!served.isPrivate("\(folder.url.path)-other/a.jpg"))
    }
}
#endif
