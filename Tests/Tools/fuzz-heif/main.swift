// Reads many randomly damaged HEIF files: `VIEWPORT_TESTS=all swift run -c release fuzz-heif 1000000`.
import TestSupport

let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let count = Int(arguments.first ?? 1_000_000)
var fuzzer = HEIFFuzzer(seed: arguments.dropFirst().first ?? 1)
let step = max(1, min(count, 100_000))
while fuzzer.counts.inputs < count {
    fuzzer.run(min(step, count - fuzzer.counts.inputs))
    let counts = fuzzer.counts
    print(
        "\(counts.inputs) inputs: \(counts.recognized) with items, \(counts.grids) grids,",
        "\(counts.parts) parts written, at most \(counts.largest) bytes")
}
