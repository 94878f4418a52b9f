internal import Basics
internal import Containers
internal import Files
internal import Pictures

/// A GIF whose frames leave pixels that no frame covers, as a file that libvips' decoder shows as browsers do.
///
/// The decoder fills such pixels with the screen's background color, or makes them black, unless the frame that leaves
/// them has a transparent color. Browsers show them as transparent. Frames that leave pixels get a transparent color that
/// none of their pixels has.
final class GIFTransparency: Sendable {
    private let file: OpenFile
    private let changed = Once<[UInt8]?>()

    init(_ file: OpenFile) { self.file = file }

    /// Larger files are left to the decoder as they are.
    private static let mostBytes = 1 << 28

    /// Returns the changed file; nil where the file needs no change.
    func bytes() throws(RenderingError) -> [UInt8]? {
        let file = file
        guard file.count <= Self.mostBytes else { return nil }
        return try changed.value(cancelled: RenderingError(.cancelled, file: file.path)) {
            () throws(RenderingError) in
            guard let bytes = try? file.contents() else { return nil }
            return Self.changed(bytes)
        }
    }
}

extension GIFTransparency {
    /// A frame, and what its file states of it.
    private struct Frame {
        /// The position of its image descriptor.
        var descriptor: Int
        /// The position of the flags of its graphic control extension, if it has one.
        var control: Int?
        var flags: UInt8 = 0
        /// The position of the size of its codes, which its data follows.
        var data: Int

        var isTransparent: Bool { flags & 1 == 1 }
        /// Whether its pixels are left when the next frame comes.
        var leavesPixels: Bool { flags >> 2 & 7 == 2 }
    }

    /// Returns a file with transparent colors for frames that leave pixels; nil where none is needed or possible.
    static func changed(_ file: [UInt8]) -> [UInt8]? {
        guard let frames = frames(of: file), let first = frames.first, let width = file.word(6),
            let height = file.word(8)
        else { return nil }
        let place = [0, 2, 4, 6].compactMap { file.word(first.descriptor + 1 + $0) }
        let isCovered =
            place.count == 4 && place[0] == 0 && place[1] == 0 && place[2] >= width && place[3] >= height
        var result = file
        var inserted: (at: Int, color: UInt8)?
        var isChanged = false
        for (index, frame) in frames.enumerated() where !frame.isTransparent {
            let leaves = frame.leavesPixels && index < frames.count - 1
            guard leaves || index == 0 && !isCovered, let color = unusedColor(of: frame, in: file) else {
                continue
            }
            isChanged = true
            guard let control = frame.control else {
                inserted = (frame.descriptor, color)
                continue
            }
            result[control] |= 1
            result[control + 3] = color
        }
        if let inserted {
            // Only the first frame: those that leave pixels have an extension.
            result.insert(contentsOf: [0x21, 0xF9, 4, 1, 0, 0, inserted.color, 0], at: inserted.at)
            // Extensions came with this version.
            result.replaceSubrange(3..<6, with: Array("89a".utf8))
        }
        return isChanged ? result : nil
    }

    /// Returns the frames up to the first damage; nil for other files.
    ///
    /// Source: GIF89a specification, 17 to 27.
    private static func frames(of file: [UInt8]) -> [Frame]? {
        guard FileType(FileBytes(file)) == .gif, file.count >= 13 else { return nil }
        var at = 13 + (file[10] & 0x80 == 0 ? 0 : 3 * (2 << Int(file[10] & 7)))
        var frames: [Frame] = []
        var control: Int?
        while at < file.count {
            switch file[at] {
            case 0x21:
                guard at + 2 < file.count else { return frames }
                if file[at + 1] == 0xF9, file[at + 2] >= 4, at + 7 < file.count { control = at + 3 }
                at = endOfBlocks(at + 2, in: file)
            case 0x2C:
                guard at + 10 < file.count else { return frames }
                let packed = file[at + 9]
                let data = at + 10 + (packed & 0x80 == 0 ? 0 : 3 * (2 << Int(packed & 7)))
                guard data < file.count else { return frames }
                frames.append(
                    Frame(descriptor: at, control: control, flags: control.map { file[$0] } ?? 0, data: data))
                control = nil
                at = endOfBlocks(data + 1, in: file)
            default: return frames
            }
        }
        return frames
    }

    private static func endOfBlocks(_ start: Int, in file: [UInt8]) -> Int {
        var at = start
        while at < file.count, file[at] > 0 { at += Int(file[at]) + 1 }
        return at + 1
    }

    /// Returns a color that no pixel of a frame has; nil where all are used.
    ///
    /// Every color of the pixels is a code of its own somewhere, so that strings need not be known.
    private static func unusedColor(of frame: Frame, in file: [UInt8]) -> UInt8? {
        let size = Int(file[frame.data])
        guard (1...8).contains(size) else { return nil }
        // Codes of fewer bits have smaller colors.
        guard size == 8 else { return 255 }
        var used = [Bool](repeating: false, count: 256)
        let clear = 1 << size
        var (width, next) = (size + 1, clear + 2)
        var (bits, count) = (0, 0)
        var isFirst = true
        var at = frame.data + 1
        while at < file.count, file[at] > 0 {
            let end = min(at + 1 + Int(file[at]), file.count)
            for byte in file[(at + 1)..<end] {
                bits |= Int(byte) << count
                count += 8
                guard count >= width else { continue }
                let code = bits & (1 << width - 1)
                bits >>= width
                count -= width
                if code == clear {
                    (width, next, isFirst) = (size + 1, clear + 2, true)
                    continue
                }
                if code == clear + 1 { return Self.lastUnused(used) }
                if code < clear { used[code] = true }
                // The first code after a clear code makes no string.
                if !isFirst, next < 4096 { next += 1 }
                isFirst = false
                if next == 1 << width, width < 12 { width += 1 }
            }
            at = end
        }
        return lastUnused(used)
    }

    private static func lastUnused(_ used: [Bool]) -> UInt8? { used.lastIndex(of: false).map { UInt8($0) } }
}

extension [UInt8] {
    /// Returns the number of two bytes, the lower one first.
    fileprivate func word(_ at: Int) -> Int? {
        at + 1 < count ? Int(self[at]) | Int(self[at + 1]) << 8 : nil
    }
}
