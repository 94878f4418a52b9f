import Foundation
import Synchronization
import TestSupport
import Testing
import Thumbnails

@Suite("A batch of thumbnails from Swift")
struct ThumbnailBatchTests {
    private static func batch(_ making: Making, jobs: Int = 2) throws -> ThumbnailBatch {
        var batch = try ThumbnailBatch(
            recipe: ThumbnailRecipe(sizes: [ThumbnailSize(32), ThumbnailSize(8)]),
            output: making.folder.path("out/{stem}-{size}.jpg"))
        batch.options.maxConcurrentTasks = jobs
        return batch
    }

    private static func photos(_ count: Int, in making: Making) throws -> [String] {
        try (0..<count).map {
            try making.save(TestImages.photo(width: 60, height: 40, seed: UInt64($0)), "\($0).png")
        }
    }

    @Test("makes all sizes of every file, reports each, and skips them the next time")
    func run() async throws {
        let making = try Making()
        let photos = try Self.photos(5, in: making) + [making.folder.path("none.png")]
        let batch = try Self.batch(making)
        let reported = Mutex<[(file: String?, code: String?, done: Int)]>([])
        let first = try await batch.run(files: photos) { result, summary in
            reported.withLock { $0.append((result.file, result.failure?.code, summary.done)) }
        }
        #expect((first.made, first.failed, first.left) == (5, 1, 0))
        #expect(first.progress.fraction == 1)
        let results = reported.withLock(\.self)
        #expect(Set(results.compactMap(\.file)) == Set(photos))
        #expect(results.compactMap(\.code) == ["missing"])
        #expect(results.map(\.done) == Array(1...6))
        let made = try FileManager.default.contentsOfDirectory(atPath: making.folder.path("out"))
        #expect(made.count == 10)
        #expect(try await batch.run(files: photos).skipped == 5)
    }

    @Test("counts the files that were not started when its task is cancelled")
    func cancelled() async throws {
        let making = try Making()
        let photos = try Self.photos(12, in: making)
        let batch = try Self.batch(making, jobs: 1)
        let (steps, step) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        let task = Task {
            try await batch.run(files: photos) { _, summary in
                guard summary.done == 2 else { return }
                step.yield()
                gate.wait()
            }
        }
        for await _ in steps { break }
        task.cancel()
        gate.signal()
        let summary = try await task.value
        #expect((summary.made, summary.left) == (2, 10))
        #expect(try FileManager.default.contentsOfDirectory(atPath: making.folder.path("out")).count == 4)
    }

    @Test(
        "refuses templates with ambiguous or empty names",
        arguments: ["", "out/", "out/{stem}.jpg", "out/{nonsense}.jpg", "out/{stem"])
    func templates(_ template: String) throws {
        let recipe = ThumbnailRecipe(sizes: [ThumbnailSize(32), ThumbnailSize(8)])
        let error = #expect(throws: BatchError.self) { try ThumbnailBatch(recipe: recipe, output: template) }
        #expect(error?.localizedDescription == error?.description)
    }

    @Test("accepts any numbers in recipes without a trap", arguments: [Int.min, -1, 0, 101, Int.max])
    func oddRecipes(_ number: Int) async throws {
        let making = try Making()
        let photo = try Self.photos(1, in: making)[0]
        var recipe = ThumbnailRecipe(sizes: [ThumbnailSize(width: number, height: number)], quality: number)
        recipe.threads = number
        recipe.maximumPixels = number
        recipe.frames = .number(number)
        for format in [recipe.format, .png, .webp] {
            recipe.format = format
            let made = try? await ThumbnailMaker(recipe).make(photo)
            for thumbnail in made?.thumbnails ?? [] { #expect(!thumbnail.bytes.isEmpty) }
        }
    }
}
