public import AssetCatalog
internal import Basics
internal import CatalogStorage
internal import Foundation
internal import ViewportGeometry
public import WorkReporting

/// What `duplicates` compares.
public enum DuplicateCriterion: Hashable, Codable, Sendable {
    /// All bytes of the files.
    case bytes
    /// All pixels; metadata may differ.
    case pixels
    /// Perceptual hashes of 64 bits, which differ in at most `distance` bits.
    case appearance(distance: Int)
}

extension PhotoLibrary {
    /// Returns groups of two or more assets that are equal or look alike.
    ///
    /// `pixels` and `appearance` compare fingerprints: call `makeFingerprints` of AssetRendering first. A group by
    /// appearance is connected by steps of at most the distance, which is clamped to 0...64. Pictures without
    /// features, such as a blue sky, are in no group. Different shots, such as the frames of a burst, are not in one group
    /// however alike they look, nor are raw files and the pictures developed from them.
    ///
    /// - Parameters:
    ///   - criterion: what is compared.
    ///   - includesKept: whether groups are included of which all members are to be kept, by `keepTogether`.
    ///   - progress: receives the comparisons that are done.
    /// - Returns: groups sorted by path; in each the assets with the most pixels first, then by path.
    /// - Throws: `LibraryError`; `CancellationError`.
    public func duplicates(
        _ criterion: DuplicateCriterion, includesKept: Bool = false,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> [[Asset]] {
        let flag = CancellationFlag()
        let reporter = ProgressReporter(.comparisons, progress)
        @Sendable func advance(_ done: Int, _ total: Int) throws {
            if flag.isRaised { throw CancellationError() }
            reporter.report(done, of: total)
        }
        var groups = try await withTaskCancellationHandler {
            try await self.groups(criterion, advance)
        } onCancel: {
            flag.raise()
        }
        reporter.finish()
        if !includesKept {
            let marks = try await read { try $0.keptGroups() }
            groups.removeAll { marks.hold($0.map(\.id)) }
        }
        return groups.sorted { $0[0].file < $1[0].file }
    }

    private func groups(
        _ criterion: DuplicateCriterion, _ advance: @escaping @Sendable (Int, Int) throws -> Void
    ) async throws -> [[Asset]] {
        guard case .appearance(let distance) = criterion else {
            let groups = try await read {
                try Self.equal(criterion == .bytes ? .sha256 : .pixels, $0, advance)
            }
            guard criterion == .pixels else { return groups }
            return groups.flatMap { group in
                [true, false].map { isRaw in group.filter { $0.format.isRaw == isRaw } }.filter {
                    $0.count > 1
                }
            }
        }
        let looks = try await read { try Looks($0) }
        let similar = SimilarHashes(looks.hashes, within: min(max(distance, 0), 64))
        let sets = try await BackgroundQueue.run { try similar.groups(advance) }
        return try await read { catalog in
            var shots = Shots()
            var groups: [[Asset]] = []
            for set in sets where set.count > 1 || looks.members[set[0]].count > 1 {
                let hashes = Dictionary(
                    set.flatMap { number in looks.members[number].map { ($0, looks.hashes[number]) } }
                ) { $1 }
                let assets = try Self.assets(Array(hashes.keys), catalog)
                let members = assets.compactMap { asset in hashes[asset.id].map { (asset: asset, hash: $0) } }
                groups += shots.divided(members, within: min(max(distance, 0), 64))
            }
            return groups
        }
    }

    /// The assets that share a digest.
    private static func equal(
        _ equality: Catalog.Equality, _ catalog: Catalog, _ advance: (Int, Int) throws -> Void
    ) throws -> [[Asset]] {
        let lists = try catalog.equalAssets(by: equality)
        return try lists.enumerated().map { number, ids in
            try advance(number + 1, lists.count)
            return try assets(ids, catalog)
        }
    }

    private static func assets(_ ids: [Asset.ID], _ catalog: Catalog) throws -> [Asset] {
        try catalog.assets(ids).sorted { a, b in
            a.pixels != b.pixels ? a.pixels > b.pixels : a.file < b.file
        }
    }
}

extension Asset {
    var pixels: Int { size.map { $0.width * $0.height } ?? 0 }
}

/// The different hashes of a library that have features, and the assets with each.
private struct Looks: Sendable {
    var hashes: [DifferenceHash] = []
    var members: [[Asset.ID]] = []

    init(_ catalog: Catalog) throws {
        var numbers: [DifferenceHash: Int] = [:]
        try catalog.forEachLook { id, difference in
            let hash = DifferenceHash(bits: difference)
            guard !hash.isBlank else { return }
            let number = numbers[hash] ?? hashes.count
            if number == hashes.count {
                numbers[hash] = number
                hashes.append(hash)
                members.append([])
            }
            members[number].append(id)
        }
    }
}

/// A union-find structure of numbers.
struct DisjointSets: Sendable {
    private var parents: [Int]

    init(count: Int) { parents = Array(0..<count) }

    private mutating func root(of number: Int) -> Int {
        var number = number
        while parents[number] != number {
            parents[number] = parents[parents[number]]
            number = parents[number]
        }
        return number
    }

    mutating func join(_ a: Int, _ b: Int) {
        let (a, b) = (root(of: a), root(of: b))
        parents[max(a, b)] = min(a, b)
    }

    /// The sets, each ascending.
    var sets: [[Int]] {
        mutating get {
            var sets: [Int: [Int]] = [:]
            for number in parents.indices { sets[root(of: number), default: []].append(number) }
            return sets.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}

extension PhotoLibrary {
    /// Makes the fingerprints of photos without one.
    ///
    /// - Parameter progress: receives the photos that are done.
    /// - Returns: the photos that could not be decoded.
    @discardableResult
    package func makeFingerprints(
        _ maker: some FingerprintMaker, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> [IndexReport.Failure] {
        let paths = try await read { try $0.pathsWithoutFingerprint() }
        let reporter = ProgressReporter(.files, of: paths.count, progress)
        var failures: [IndexReport.Failure] = []
        for start in stride(from: 0, to: paths.count, by: Self.fingerprintBatch) {
            if Task.isCancelled { throw CancellationError() }
            let batch = Array(paths[start...].prefix(Self.fingerprintBatch))
            let made = try await BackgroundQueue.run(cancellably: { flag in
                self.fingerprints(of: batch, maker, flag)
            })
            try await write { catalog in
                for case (let path, .success(let fingerprint)) in made {
                    try catalog.setFingerprint(
                        of: path, pixels: fingerprint.pixels, difference: fingerprint.difference.bits)
                }
            }
            for case (let path, .failure(let reason)) in made {
                failures.append(IndexReport.Failure(path: path, reason: "\(reason)"))
            }
            reporter.report(start + batch.count)
        }
        reporter.finish()
        return failures
    }

    /// The number of fingerprints per transaction: the most that are lost when the process is killed.
    private static var fingerprintBatch: Int { 64 }

    private func fingerprints(
        of paths: [String], _ maker: some FingerprintMaker, _ flag: CancellationFlag
    ) -> [(path: String, result: Result<Fingerprint, any Error>)] {
        let results = Processors.map(below: paths.count, until: flag) { index in
            Result { try maker.fingerprint(of: "\(root)/\(paths[index])") }
        }
        return zip(paths, results).map { ($0, $1) }
    }
}
