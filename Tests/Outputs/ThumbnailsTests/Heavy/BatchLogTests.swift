import Foundation
import PyramidExport
import Synchronization
import TestSupport
import Testing
import Thumbnails

@Suite("A batch with a log")
struct BatchLogTests {
    enum Kind: CaseIterable {
        case thumbnails, renders, pyramids

        func run(
            _ files: [String], in making: Making, to name: String = "out", _ options: BatchOptions,
            _ report: @escaping @Sendable (BatchResult, BatchSummary) -> Void = { _, _ in }
        ) async throws -> BatchSummary {
            let folder = making.folder.path(name)
            switch self {
            case .thumbnails:
                var batch = try ThumbnailBatch(
                    recipe: ThumbnailRecipe(sizes: [ThumbnailSize(16)]), output: "\(folder)/{stem}.jpg")
                batch.options = options
                return try await batch.run(files: files, report: report)
            case .renders:
                var batch = try RenderBatch(name: "corner", output: "\(folder)/{stem}.png") { _ in
                    Viewport(imageRect: Rect(x: 4, y: 2, width: 20, height: 10), scale: 2)
                }
                batch.options = options
                return try await batch.run(files: files, report: report)
            case .pyramids:
                var batch = try PyramidBatch(pyramid: ExportOptions(.dz), output: "\(folder)/{stem}.dzi")
                batch.options = options
                return try await batch.run(files: files, report: report)
            }
        }
    }

    private static func photos(_ count: Int, in making: Making) throws -> [String] {
        try (0..<count).map {
            try making.save(TestImages.photo(width: 60, height: 40, seed: UInt64($0)), "\($0).png")
        }
    }

    @Test("makes pictures anew where the options of rendering differ from those of the log")
    func changedRendering() async throws {
        let making = try Making()
        let photos = try Self.photos(2, in: making)
        var batch = try RenderBatch(name: "corner", output: making.folder.path("out/{stem}.png")) { _ in
            Viewport(imageRect: Rect(x: 4, y: 2, width: 20, height: 10), scale: 2)
        }
        batch.options.log = making.folder.path("log.jsonl")
        batch.options.resumption = .all
        #expect(try await batch.run(files: photos).made == 2)
        #expect(try await batch.run(files: photos).kept == 2)
        batch.rendering.kernel = .nearest
        #expect(try await batch.run(files: photos).made == 2)
        #expect(try await batch.run(files: photos).kept == 2)
    }

    @Test(
        "writes the format of the extension, else the one that is asked for, else PNG",
        arguments: [
            ("{stem}.jpg", nil, 0xFF), ("{stem}.JPEG", .jpg, 0xFF), ("{stem}.webp", nil, 0x52),
            ("{stem}", nil, 0x89), ("{stem}.part", .webp, 0x52), ("{stem}-{ext}.tif", nil, 0x49),
            ("{stem}.{id}", .jpg, 0xFF),
        ] as [(String, PictureFormat?, UInt8)])
    func formats(_ name: String, _ format: PictureFormat?, _ first: UInt8) async throws {
        let making = try Making()
        let batch = try RenderBatch(name: "corner", output: making.folder.path("out/\(name)"), format: format)
        {
            _ in Viewport(imageRect: Rect(x: 4, y: 2, width: 20, height: 10), scale: 2)
        }
        let outputs = Mutex([StoredThumbnail]())
        _ = try await batch.run(files: Self.photos(1, in: making)) { result, _ in
            if case .made(let made) = result.outcome { outputs.withLock { $0 = made } }
        }
        let path = try #require(outputs.withLock(\.first)?.path)
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: path)))
        #expect(bytes.first == first)
    }

    @Test(
        "refuses a format that the extension contradicts, before any work",
        arguments: [
            ("{stem}.jpg", .png), ("{stem}.PNG", .webp), ("a/{stem}.{ext}", nil), ("{stem}.{ext}", .png),
        ]
            as [(String, PictureFormat?)])
    func contradictions(_ name: String, _ format: PictureFormat?) {
        let error = #expect(throws: BatchError.self) {
            try RenderBatch(name: "corner", output: name, format: format) { _ in
                Viewport(imageRect: Rect(x: 4, y: 2, width: 20, height: 10), scale: 2)
            }
        }
        #expect(error?.description.hasPrefix(name) == true)
        guard let format else { return }
        #expect(throws: BatchError.self) {
            try ThumbnailBatch(
                recipe: ThumbnailRecipe(sizes: [ThumbnailSize(16)], format: format), output: name)
        }
    }

    @Test("makes each file once, and continues where a log ends", arguments: Kind.allCases)
    func resumed(_ kind: Kind) async throws {
        let making = try Making()
        let photos = try Self.photos(5, in: making)
        let broken = making.folder.path("broken.png")
        try Data("no image".utf8).write(to: URL(filePath: broken))
        var options = BatchOptions()
        options.log = making.folder.path("log.jsonl")
        let first = try await kind.run(Array(photos.prefix(2)) + [broken], in: making, options)
        #expect((first.made, first.failed, first.kept) == (2, 1, 0))

        options.resumption = .all
        let second = try await kind.run(photos + [broken], in: making, options)
        #expect((second.made, second.failed, second.kept) == (3, 0, 3))
        options.resumption = .succeeded
        let files = Mutex<[String]>([])
        let third = try await kind.run(photos + [broken], in: making, options) { result, summary in
            files.withLock { $0.append(result.file ?? "") }
        }
        #expect((third.made, third.failed, third.kept) == (0, 1, 5))
        #expect(files.withLock { $0 } == [broken])
        #expect(third.progress.fraction == 1)
        let lines = try String(contentsOfFile: options.log ?? "", encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 6)
    }

    @Test("is divided into shards, whose logs are joined", arguments: Kind.allCases)
    func shards(_ kind: Kind) async throws {
        let making = try Making()
        let photos = try Self.photos(9, in: making)
        var made = 0
        var logs: [String] = []
        for index in 0..<3 {
            var options = BatchOptions()
            options.shard = Shard(index: index, count: 3)
            options.log = making.folder.path("\(index).jsonl")
            logs.append(options.log ?? "")
            made += try await kind.run(photos, in: making, options).made
        }
        #expect(made == 9)
        let manifest = making.folder.path("manifest.jsonl")
        let listed = photos + [making.folder.path("later.png")]
        try Data(listed.map { "{\"path\": \"\($0)\"}\n" }.joined().utf8).write(to: URL(filePath: manifest))
        let (joined, missing) = (making.folder.path("all.jsonl"), making.folder.path("missing.jsonl"))
        let report = try await MergedResults.merging(logs, of: manifest, to: joined, missing: missing)
        #expect((report.results, report.failed, report.missing, report.unreadable) == (9, 0, 1, 0))
        #expect(try String(contentsOfFile: missing, encoding: .utf8).contains("later.png"))
        #expect(try String(contentsOfFile: joined, encoding: .utf8).split(separator: "\n").count == 9)
        await #expect(throws: BatchError.self) {
            try await MergedResults.merging(logs + ["/nonexistent"], to: joined)
        }
        #expect(try String(contentsOfFile: joined, encoding: .utf8).split(separator: "\n").count == 9)
    }

    @Test("replaces no file that is not a log, and no input", arguments: Kind.allCases)
    func kept(_ kind: Kind) async throws {
        let making = try Making()
        let photos = try Self.photos(2, in: making)
        let letter = making.folder.path("letter.txt")
        try Data("Dear all,\n".utf8).write(to: URL(filePath: letter))
        for path in [letter, photos[0]] {
            var options = BatchOptions()
            options.log = path
            let before = try Data(contentsOf: URL(filePath: path))
            await #expect(throws: BatchError.self) { try await kind.run(photos, in: making, options) }
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
    }

    @Test("reports shares that never decrease, and ends with exactly 1", arguments: Kind.allCases)
    func progress(_ kind: Kind) async throws {
        let making = try Making()
        let photos = try Self.photos(7, in: making)
        var options = BatchOptions()
        options.maxConcurrentTasks = 3
        let values = Mutex<[WorkProgress]>([])
        let summary = try await kind.run(photos, in: making, options) { _, summary in
            values.withLock { $0.append(summary.progress) }
        }
        let all = values.withLock { $0 }
        #expect(all.count == 7 && all.last?.fraction == 1 && summary.progress == all.last, "\(all)")
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.fraction <= $1.fraction && $0.done < $1.done })
        #expect(all.dropLast().allSatisfy { $0.fraction < 1 }, "\(all)")
    }
}
