#if CommandLine
import ArgumentParser
import Batches
import Crops

/// The names of archives: one, "crops-{shard}.tar", or "crops-{000..007}.tar".
struct CropOutputs {
    private static let place = "{shard}"

    private let output: String
    /// The range in braces.
    private let range: (before: Substring, first: Int, count: Int, digits: Int, after: Substring)?

    init(_ output: String) {
        self.output = output
        range = output.firstMatch(of: /\{(\d{1,9})\.\.(\d{1,9})\}/).flatMap { match in
            guard let first = Int(match.1), let last = Int(match.2), last >= first else { return nil }
            return (
                output[..<match.range.lowerBound], first, last - first + 1, match.1.utf8.count,
                output[match.range.upperBound...]
            )
        }
    }

    /// Whether each shard has an archive of its own name.
    var isForShards: Bool { range != nil || output.contains(Self.place) }

    /// The name without what tells archives apart: "crops.tar" of "crops-{shard}.tar".
    var common: String {
        let text = range.map { "\($0.before)\($0.after)" } ?? output.replacing(Self.place, with: "")
        return text.replacing(/[-_.]+(\.tar)?$/) { $0.1 ?? "" }
    }

    /// Throws where the names do not fit the shards.
    func check(shard: Shard?, samplesPerArchive: Int?) throws {
        if let range, let shard, shard.count != range.count {
            throw ValidationError("-o \(output): \(range.count) names for \(shard.count) shards")
        }
        if let samplesPerArchive {
            if shard != nil { throw ValidationError("--samples-per-archive and --shard exclude each other") }
            if range != nil || output != "-" && !output.contains(Self.place) || output == "-" {
                throw ValidationError(
                    "--samples-per-archive \(samplesPerArchive): write {shard} into -o, for example crops-{shard}.tar"
                )
            }
        }
        if let shard, shard.count > 1, !isForShards, output != "-" {
            throw ValidationError(
                "-o \(output): one name for \(shard.count) shards; write {shard} into it, for example crops-{shard}.tar"
            )
        }
    }

    /// The archives of a run, with their shards.
    ///
    /// - Parameters:
    ///   - count: the number of all crops.
    ///   - samplesPerArchive: the most crops of one; nil where names or shards decide.
    func archives(
        _ shard: Shard?, count: Int = 0, samplesPerArchive: Int? = nil
    ) -> [(path: String, shard: Shard?)] {
        if let range {
            let all = (0..<range.count).compactMap { Shard(index: $0, count: range.count) }
            return all.filter { shard == nil || $0.index == shard?.index }.map { part in
                let number = String(range.first + part.index)
                let zeros = String(repeating: "0", count: max(0, range.digits - number.utf8.count))
                return ("\(range.before)\(zeros)\(number)\(range.after)", part)
            }
        }
        if let samplesPerArchive {
            let parts = max(1, (count + samplesPerArchive - 1) / samplesPerArchive)
            return (0..<parts).compactMap { Shard(index: $0, count: parts) }.map { (path($0), $0) }
        }
        return [(path(shard), shard)]
    }

    /// The path of an archive: all shards of a run have as many digits.
    private func path(_ shard: Shard?) -> String {
        output.replacing(Self.place, with: CropPlan.padded(shard?.index ?? 0, below: shard?.count ?? 1))
    }
}
#endif
