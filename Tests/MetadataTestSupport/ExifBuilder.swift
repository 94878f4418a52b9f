/// Builds EXIF blocks by hand, of both byte orders.
package struct ExifBuilder {
    package var bigEndian: Bool

    package init(bigEndian: Bool) { self.bigEndian = bigEndian }

    package enum Value {
        case short(Int)
        case text(String)
        case rationals([(Int, Int)])
        case long(Int)
        case bytes([UInt8])
        case directory([(Int, Value)])
    }

    package func block(_ entries: [(Int, Value)]) -> [UInt8] {
        var bytes: [UInt8] = bigEndian ? [0x4D, 0x4D, 0, 42] : [0x49, 0x49, 42, 0]
        bytes += number(8, 4)
        append(entries, to: &bytes)
        return bytes
    }

    private func append(_ entries: [(Int, Value)], to bytes: inout [UInt8]) {
        var at = bytes.count + 2 + 12 * entries.count + 4
        var tail: [UInt8] = []
        bytes += number(entries.count, 2)
        for (tag, value) in entries {
            bytes += number(tag, 2)
            var payload: [UInt8] = []
            switch value {
            case .short(let number):
                bytes += self.number(3, 2) + self.number(1, 4)
                payload = self.number(number, 2) + [0, 0]
            case .long(let number):
                bytes += self.number(4, 2) + self.number(1, 4)
                payload = self.number(number, 4)
            case .bytes(let raw):
                bytes += number(7, 2) + number(raw.count, 4)
                payload = raw
            case .text(let text):
                bytes += number(2, 2) + number(text.utf8.count + 1, 4)
                payload = Array(text.utf8) + [0]
            case .rationals(let pairs):
                bytes += number(5, 2) + number(pairs.count, 4)
                payload = pairs.flatMap { number($0.0, 4) + number($0.1, 4) }
            case .directory(let entries):
                bytes += number(4, 2) + number(1, 4) + number(at, 4)
                var inner = [UInt8](repeating: 0, count: at)
                append(entries, to: &inner)
                tail += inner[at...]
                at += inner.count - at
                continue
            }
            if payload.count <= 4 {
                bytes += payload + [UInt8](repeating: 0, count: 4 - payload.count)
            } else {
                bytes += number(at, 4)
                tail += payload
                at += payload.count
            }
        }
        bytes += number(0, 4) + tail
    }

    private func number(_ value: Int, _ count: Int) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return bigEndian ? bytes.reversed() : bytes
    }
}
