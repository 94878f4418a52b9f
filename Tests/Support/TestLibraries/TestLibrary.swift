import Foundation
package import ImageMetadata
package import PhotoCatalog
package import TestSupport

/// A library in a temporary folder, which is removed after the test.
package struct TestLibrary {
    package let folder: TemporaryFolder
    package let library: PhotoLibrary

    package init() async throws {
        folder = try TemporaryFolder()
        library = try await PhotoLibrary.create(folder.url.path)
    }

    package init(_ assets: [Asset]) async throws {
        try await self.init()
        try await library.insert(assets)
    }

    /// Writes a file below the root, creating folders.
    package func write(_ path: String, _ bytes: [UInt8]) throws {
        let url = folder.url.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    package func move(_ path: String, to other: String) throws {
        let url = folder.url.appendingPathComponent(other)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.moveItem(at: folder.url.appendingPathComponent(path), to: url)
    }

    package func remove(_ path: String) throws {
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent(path))
    }

    /// Returns the paths of all assets by date.
    package func paths() async throws -> [String] {
        let ids = try await library.collection().snapshot().ids(in: 0)
        return try await library.assets(Array(ids)).map(\.path)
    }
}

extension Asset {
    /// Returns an asset without a file.
    package static func made(
        _ path: String, _ date: String? = nil, offset: String? = nil, kinds: AssetKinds = [.photo, .jpeg],
        place: String? = nil, bytes: Int = 1000
    ) throws -> Asset {
        let digest = path.utf8.map { String($0 % 16, radix: 16) }.joined()
        var asset = Asset(
            path: path, kinds: kinds,
            format: kinds.contains(.video) ? .mp4 : kinds.contains(.png) ? .png : .jpeg,
            bytes: bytes, modifiedNanoseconds: 1,
            sha256: String((digest + String(repeating: "0", count: 64)).prefix(64))
        )
        if let date {
            asset.date = CaptureDate(
                local: try clock(date), offset: offset.flatMap { UTCOffset($0) }, source: .dateTimeOriginal)
        }
        asset.place = place
        return asset
    }
}

package struct NoClock: Error {}

/// Parses a local time such as "2014-05-25T10:00:00.25".
package func clock(_ text: String) throws -> WallClock {
    let parts = text.split { "-T:.".contains($0) }
    let numbers = parts.prefix(6).compactMap { Int($0) } + [0, 0, 0]
    guard numbers.count >= 6,
        let clock = WallClock(
            year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
            second: numbers[5], fraction: parts.count > 6 ? String(parts[6]) : "")
    else { throw NoClock() }
    return clock
}
