import Containers
import ImageMetadata

/// Reads the metadata of randomly changed files.
///
/// The results are ignored: the run proves that nothing is read out of bounds, overflows or hangs.
package struct MetadataFuzzer {
    private var random: SplitMix64
    private let originals: [[UInt8]]

    /// Counts of the results so far.
    package struct Counts: Hashable, Sendable {
        package var inputs = 0
        /// Files that were still recognized.
        package var recognized = 0
        /// Files whose size could still be read.
        package var sized = 0
        /// Files that still had a date.
        package var dated = 0
        /// Raw files with a complete preview.
        package var previewed = 0
        /// Files with a usable gain map.
        package var mapped = 0
    }

    package private(set) var counts = Counts()

    package init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        let jpegs = (
            PhotoMaker.jpeg(width: 1600, height: 1200), PhotoMaker.jpeg(width: 160, height: 120)
        )
        originals =
            SampleFiles.all.map(\.bytes)
            + RawMaker.formats.map { RawMaker.file($0, large: jpegs.0, small: jpegs.1) } + [
                GainMapMaker.ultraHDR(), GainMapMaker.ultraHDR(hasIndex: false),
                GainMapMaker.ultraHDR(map: GainMapMaker.map(iso: GainMapMaker.iso)),
                GainMapMaker.apple(exif: GainMapMaker.appleExif(100, 1)),
            ]
    }

    /// Reads `count` randomly changed samples.
    ///
    /// Each has one to eight changes: bytes are set, removed or repeated, or the end is cut off. Every second one is
    /// also its own sidecar.
    package mutating func run(_ count: Int) {
        for _ in 0..<count {
            var bytes = originals[number(below: originals.count)]
            for _ in 0...number(below: 8) { change(&bytes) }
            counts.inputs += 1
            let sidecar = counts.inputs % 2 == 0 ? bytes : nil
            guard let read = FileMetadata(FileBytes(bytes), name: name(), sidecar: sidecar) else { continue }
            counts.recognized += 1
            if read.storedSize != nil { counts.sized += 1 }
            if let date = read.date, !date.source.isGuess { counts.dated += 1 }
            readPictures(FileBytes(bytes), name: "a.\(read.format)")
        }
    }

    /// Reads what refers to further pictures: previews of raw files and gain maps.
    private mutating func readPictures(_ bytes: FileBytes, name: String) {
        if let raw = RawFile(bytes, name: name) {
            if raw.previews.contains(where: \.isComplete) { counts.previewed += 1 }
            _ = FileMetadata(contentsOf: bytes, name: "", .blocks)
        }
        guard let map = GainMap(bytes) else { return }
        if map.values != nil { counts.mapped += 1 }
        _ = XMPPacket.withoutGainMap(bytes.array)
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        let at = number(below: bytes.count)
        switch number(below: 16) {
        case 0: bytes.removeLast(number(below: bytes.count))
        case 1: bytes.removeSubrange(at..<min(bytes.count, at + number(below: 8)))
        case 2: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + number(below: 64))], at: at)
        // Extreme numbers: lengths, counts, offsets.
        case 3, 4: for place in at..<min(bytes.count, at + 4) { bytes[place] = 0xFF }
        case 5: for place in at..<min(bytes.count, at + 8) { bytes[place] = 0 }
        case 6: bytes[at] ^= 1 << UInt8(number(below: 8))
        default: bytes[at] = UInt8(number(below: 256))
        }
    }

    private mutating func name() -> String {
        let pieces = [
            "IMG_", "2014", "0525", "_", "-", "100000", "PXL_", "BURST", ".jpg", ".nef", " at 1.00.00 PM",
            "é",
        ]
        return (0..<number(below: 7)).map { _ in pieces[number(below: pieces.count)] }.joined()
    }

    private mutating func number(below bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
}
