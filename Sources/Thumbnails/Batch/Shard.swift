internal import Crypto

/// One of several equal shares of a batch: which items it has depends on nothing but their keys.
package struct Shard: Hashable, Sendable {
    /// From 0.
    package let index: Int
    package let count: Int

    /// Nil where the index is none of the count's.
    package init?(index: Int, count: Int) {
        guard count > 0, (0..<count).contains(index) else { return nil }
        (self.index, self.count) = (index, count)
    }

    /// "i/n".
    package init?(parsing text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]) else { return nil }
        self.init(index: index, count: count)
    }

    /// Whether an item of this key is in the share.
    ///
    /// The first 8 bytes of the key's SHA-256 are a number, most significant byte first, of which the remainder
    /// by the count is the share.
    package func contains(_ key: some Sequence<UInt8>) -> Bool {
        let number = SHA256.hash(data: Array(key)).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return number % UInt64(count) == UInt64(index)
    }
}

extension Shard {
    /// Where a scheduler says which share a process has.
    package enum EnvironmentError: Error, Equatable, CustomStringConvertible {
        case bad(variable: String, value: String)
        case without(variable: String, other: String)

        package var description: String {
            switch self {
            case .bad(let variable, let value):
                "\(variable) is \(value): it does not name a share; give --shard i/n, i from 0"
            case .without(let variable, let other):
                "\(variable) is set without \(other): give --shard i/n"
            }
        }
    }

    /// The share that the environment names; nil where it names none.
    ///
    /// VIEWPORT_SHARD is "i/n"; the others are those of Slurm's job arrays (whose indices may start anywhere, one
    /// apart), Kubernetes' Indexed Jobs and AWS Batch's arrays.
    package init?(environment variable: (String) -> String?) throws(EnvironmentError) {
        if let text = variable("VIEWPORT_SHARD") {
            guard let shard = Shard(parsing: text) else {
                throw .bad(variable: "VIEWPORT_SHARD", value: text)
            }
            self = shard
            return
        }
        let schedulers = [
            ("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN"),
            ("JOB_COMPLETION_INDEX", "JOB_COMPLETIONS", ""),
            ("AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE", ""),
        ]
        for (indexName, countName, firstName) in schedulers {
            guard let index = variable(indexName) else { continue }
            guard let count = variable(countName) else {
                throw .without(variable: indexName, other: countName)
            }
            let first = variable(firstName) ?? "0"
            guard let index = Int(index), let count = Int(count), let first = Int(first),
                let shard = Shard(index: index - first, count: count)
            else { throw .bad(variable: indexName, value: index) }
            self = shard
            return
        }
        return nil
    }
}
