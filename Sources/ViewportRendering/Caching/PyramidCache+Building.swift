internal import Basics
internal import Files
internal import Synchronization
internal import TilePyramid
internal import Vips

/// A level that is being made, and those who wait for it.
struct PyramidBuild {
    let number: Int
    let task: Task<Void, Never>
    let progress: ProgressBoard
    var waiters: [Int: CheckedContinuation<CacheEntry, any Error>] = [:]
}

/// Who wants to be told how far a build is; told from libvips' threads.
final class ProgressBoard: Sendable {
    private let listeners = Mutex([Int: @Sendable (Double) -> Void]())

    func add(_ number: Int, _ listener: @escaping @Sendable (Double) -> Void) {
        listeners.withLock { $0[number] = listener }
    }

    func remove(_ number: Int) {
        listeners.withLock { _ = $0.removeValue(forKey: number) }
    }

    func tell(_ share: Double) {
        for listener in listeners.withLock({ Array($0.values) }) { listener(share) }
    }
}

extension PyramidCache {
    /// Waits for an entry, together with all others who want it.
    func entry(
        for key: CacheKey, _ file: ImageFile, _ level: PyramidLevel,
        _ progress: @escaping @Sendable (Double) -> Void
    ) async throws -> CacheEntry {
        lastNumber += 1
        let waiter = lastNumber
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                var build = builds[key] ?? begin(key, file, level)
                build.waiters[waiter] = continuation
                build.progress.add(waiter, progress)
                builds[key] = build
            }
        } onCancel: {
            Task { await self.leave(key, waiter) }
        }
    }

    /// How many wait for the pyramid of a file.
    package func waiterCount(_ file: ImageFile) -> Int {
        guard let source = file.source as? HalvedSource else { return 0 }
        return policy.levels(of: source).reduce(0) { count, level in
            count + (CacheKey(file, level).flatMap { builds[$0] }?.waiters.count ?? 0)
        }
    }

    private func begin(_ key: CacheKey, _ file: ImageFile, _ level: PyramidLevel) -> PyramidBuild {
        lastNumber += 1
        let number = lastNumber
        let board = ProgressBoard()
        let task = Task {
            let result: Result<CacheEntry, any Error>
            do {
                result = .success(try await make(key, file, level, board))
            } catch {
                result = .failure(error)
            }
            finish(key, number, result)
        }
        return PyramidBuild(number: number, task: task, progress: board)
    }

    private func make(
        _ key: CacheKey, _ file: ImageFile, _ level: PyramidLevel, _ board: ProgressBoard
    ) async throws -> CacheEntry {
        try await folder.entry(for: key, .pyramid) { path in
            await self.count()
            try await Self.write(file, level, to: path, board)
            guard file.opened.isUnchanged, FileStatus(file.identity.path) == file.identity.status else {
                throw CacheError.changed(file: file.path)
            }
        }
    }

    private func count() { buildCount += 1 }

    private static func write(
        _ file: ImageFile, _ level: PyramidLevel, to path: String, _ board: ProgressBoard
    ) async throws {
        // libvips tells of progress on threads of its own, which know no task.
        let isCancelled = Flag()
        try await withTaskCancellationHandler {
            try await BlockingExecutor.background.run {
                try Task.checkCancellation()
                let reader = try file.source.open(level)
                try PyramidWriter(reader: reader, file: file.opened).write(to: path) { share in
                    board.tell(share)
                    return !isCancelled.value.load(ordering: .relaxed)
                }
            }
        } onCancel: {
            isCancelled.value.store(true, ordering: .relaxed)
        }
    }

    private func finish(_ key: CacheKey, _ number: Int, _ result: Result<CacheEntry, any Error>) {
        // One that everybody left has been taken off the list, and a later one may be on it.
        guard let build = builds[key], build.number == number else { return }
        builds[key] = nil
        for continuation in build.waiters.values { continuation.resume(with: result) }
    }

    private func leave(_ key: CacheKey, _ waiter: Int) {
        guard let continuation = builds[key]?.waiters.removeValue(forKey: waiter) else { return }
        builds[key]?.progress.remove(waiter)
        if let build = builds[key], build.waiters.isEmpty {
            build.task.cancel()
            builds[key] = nil
        }
        continuation.resume(throwing: CancellationError())
    }
}

/// A truth that threads share.
final class Flag: Sendable {
    let value = Atomic(false)
}
