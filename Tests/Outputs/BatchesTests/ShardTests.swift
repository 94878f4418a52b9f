import Basics
import Batches
import Testing

@Suite("A shard of a batch")
struct ShardTests {
    /// Indices computed with Python: int.from_bytes(hashlib.sha256(key).digest()[:8], "big") % count.
    @Test(
        "follows from the SHA-256 of the key",
        arguments: [
            ("a.jpg", 2, 0), ("a.jpg", 3, 1), ("photos/b.png", 7, 3), ("42", 5, 2), ("é.jpg", 16, 12),
        ])
    func index(_ key: String, _ count: Int, _ expected: Int) throws {
        let shards = (0..<count).compactMap { Shard(index: $0, count: count) }
        #expect(shards.count == count)
        #expect(shards.filter { $0.contains(key.utf8) }.map(\.index) == [expected])
    }

    @Test("is written i/n, from 0", arguments: ["", "1", "2/2", "-1/2", "1/0", "0/2/3", "a/b", "/", "0/"])
    func syntax(_ text: String) {
        #expect(Shard(parsing: text) == nil)
        #expect(Shard(parsing: "1/2") == Shard(index: 1, count: 2))
    }

    @Test(
        "is read from the environment of schedulers",
        arguments: [
            (["VIEWPORT_SHARD": "2/5"], "2/5"),
            (
                ["SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "5"],
                "2/4"
            ),
            (["SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "4"], "3/4"),
            (["JOB_COMPLETION_INDEX": "0", "JOB_COMPLETIONS": "3"], "0/3"),
            (["AWS_BATCH_JOB_ARRAY_INDEX": "1", "AWS_BATCH_JOB_ARRAY_SIZE": "2"], "1/2"),
            (["VIEWPORT_SHARD": "0/1", "JOB_COMPLETION_INDEX": "9"], "0/1"),
        ])
    func environment(_ variables: [String: String], _ expected: String) throws {
        #expect(try Shard(environment: { variables[$0] }) == Shard(parsing: expected))
    }

    @Test(
        "is refused if the environment is inconsistent",
        arguments: [
            ["VIEWPORT_SHARD": "5/5"], ["JOB_COMPLETION_INDEX": "0"],
            ["SLURM_ARRAY_TASK_ID": "9", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "5"],
            ["AWS_BATCH_JOB_ARRAY_INDEX": "one", "AWS_BATCH_JOB_ARRAY_SIZE": "2"],
        ])
    func nonsense(_ variables: [String: String]) {
        #expect(throws: InvalidText.self) { try Shard(environment: { variables[$0] }) }
        #expect(throws: Never.self) { try #expect(Shard(environment: { _ in nil }) == nil) }
    }
}
