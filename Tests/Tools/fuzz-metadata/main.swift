// Reads the metadata of many randomly damaged files, and edits damaged sidecars: `VIEWPORT_TESTS=all swift run -c release fuzz-metadata 1000000`.
import TestSupport

let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let count = Int(arguments.first ?? 1_000_000)
var fuzzer = MetadataFuzzer(seed: arguments.dropFirst().first ?? 1)
let step = max(1, min(count, 100_000))
while fuzzer.counts.inputs < count {
    fuzzer.run(min(step, count - fuzzer.counts.inputs))
    let counts = fuzzer.counts
    print(
        "\(counts.inputs) inputs: \(counts.recognized) files recognized, \(counts.sized) with a size,",
        "\(counts.dated) with a date of their own, \(counts.previewed) raw files with a preview,",
        "\(counts.mapped) gain maps")
}
var editor = SidecarFuzzer(seed: arguments.dropFirst().first ?? 1)
editor.run(count / 10)
print(
    "\(editor.counts.inputs) sidecars: \(editor.counts.edited) edited, \(editor.counts.failures.count) wrongly"
)
for failure in editor.counts.failures.prefix(10) { print("  \(failure)") }
precondition(editor.counts.failures.isEmpty)
