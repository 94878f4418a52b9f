// Reads many randomly damaged progressive JPEGs: `VIEWPORT_TESTS=all swift run -c release fuzz-progressive 1000000`.
import TestSupport

let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let count = Int(arguments.first ?? 1_000_000)
var fuzzer = try ProgressiveFuzzer(seed: arguments.dropFirst().first ?? 1)
let step = max(1, min(count, 100_000))
while fuzzer.counts.inputs < count {
    fuzzer.run(min(step, count - fuzzer.counts.inputs))
    let counts = fuzzer.counts
    print(
        "\(counts.inputs) inputs: \(counts.headers) headers read, \(counts.indexed) files indexed,",
        "\(counts.loaded) indexes loaded, \(counts.bands) bands written")
}
