internal import Basics
internal import CDeflate
internal import Containers
package import Files

extension PNGHeader {
    /// Reads the chunks of a file up to its image data.
    ///
    /// Refuses what libpng drops or repairs, so that its decisions need no copy here.
    ///
    /// - Throws: `PNGIndexError`. Source: PNG (third edition), 5 and 11.
    package init(_ file: any RandomAccessBytes) throws(PNGIndexError) {
        var parser = HeaderParser(file)
        self = try parser.parse()
    }
}

private struct HeaderParser {
    /// The most bytes of a chunk that is read, as libpng's.
    private static let largestChunk = 8_000_000
    private static let mostChunks = 4096

    private let file: any RandomAccessBytes
    private var seen: Set<String> = []

    init(_ file: any RandomAccessBytes) { self.file = file }

    mutating func parse() throws(PNGIndexError) -> PNGHeader {
        guard file.count >= 8, try bytes(0..<8) == PNGChunk.signature else { throw .notPNG }
        var chunks = PNGChunks(FileBytes(file))
        var header: PNGHeader?
        for _ in 0..<Self.mostChunks {
            guard let chunk = (try? chunks.next()) ?? nil, chunk.whole.upperBound <= file.count else {
                throw .truncated
            }
            let type = String(decoding: chunk.type.bytes, as: UTF8.self)
            if var known = header {
                guard type != "IDAT" else {
                    known.dataStart = chunk.whole.lowerBound
                    return try checked(known)
                }
                try read(type, chunk.body, into: &known)
                header = known
            } else {
                guard type == "IHDR", chunk.body.count == 13 else { throw .brokenHeader("IHDR") }
                header = try Self.start(try contents(chunk.body))
            }
        }
        throw .brokenHeader("too many chunks")
    }

    private static func start(_ body: [UInt8]) throws(PNGIndexError) -> PNGHeader {
        guard let width = body.uint32(at: 0), let height = body.uint32(at: 4),
            let colorType = PNGHeader.ColorType(rawValue: body[9])
        else { throw .brokenHeader("IHDR") }
        let depths: [UInt8] =
            switch colorType {
            case .gray: [1, 2, 4, 8, 16]
            case .palette: [1, 2, 4, 8]
            default: [8, 16]
            }
        guard (1...Int(Int32.max)).contains(width), (1...Int(Int32.max)).contains(height),
            depths.contains(body[8]), body[10] == 0, body[11] == 0, body[12] <= 1
        else { throw .brokenHeader("IHDR") }
        guard body[12] == 0 else { throw .interlaced }
        return PNGHeader(width: width, height: height, bitDepth: Int(body[8]), colorType: colorType)
    }

    /// Reads a chunk between IHDR and the image data.
    private mutating func read(
        _ type: String, _ body: Range<Int>, into header: inout PNGHeader
    ) throws(PNGIndexError) {
        switch type {
        case "PLTE":
            guard body.count % 3 == 0, (3...768).contains(body.count), header.transparency == nil,
                header.colorType != .gray, header.colorType != .grayAlpha
            else { throw .brokenHeader(type) }
            try once(type)
            let colors = try contents(body)
            guard header.colorType == .palette else { return }
            guard colors.count <= 3 << header.bitDepth else { throw .brokenHeader(type) }
            header.palette = colors
        case "tRNS":
            try once(type)
            let length =
                switch header.colorType {
                case .gray: 2...2
                case .rgb: 6...6
                case .palette: 1...max(1, header.palette.count / 3)
                default: throw PNGIndexError.brokenHeader(type)
                }
            guard length.contains(body.count), header.colorType != .palette || !header.palette.isEmpty else {
                throw .brokenHeader(type)
            }
            header.transparency = try contents(body)
        case "iCCP":
            // With both, libpng decides which one counts.
            guard !seen.contains("sRGB") else { throw .brokenHeader("iCCP and sRGB") }
            try once(type)
            header.profile = try profile(try contents(body), header)
        case "sRGB":
            guard !seen.contains("iCCP") else { throw .brokenHeader("iCCP and sRGB") }
            try once(type)
        // IEND, and unknown chunks that a reader must understand.
        case _ where type.utf8.first.map { $0 & 0x20 == 0 } ?? true: throw .brokenHeader(type)
        default: break
        }
    }

    private mutating func once(_ type: String) throws(PNGIndexError) {
        guard seen.insert(type).inserted else { throw .brokenHeader("two \(type)") }
    }

    private func checked(_ header: PNGHeader) throws(PNGIndexError) -> PNGHeader {
        guard header.colorType != .palette || !header.palette.isEmpty else { throw .brokenHeader("PLTE") }
        return header
    }

    /// Returns the profile of iCCP where libpng accepts it: the header is plausible, and its size and color are right.
    private func profile(_ body: [UInt8], _ header: PNGHeader) throws(PNGIndexError) -> [UInt8] {
        guard let end = body.prefix(80).firstIndex(of: 0), end >= 1, body.count > end + 2, body[end + 1] == 0,
            let profile = Deflated.inflate(body[(end + 2)...], limit: Self.largestChunk),
            profile.count >= 132, profile.uint32(at: 0) == profile.count,
            profile[8] <= 3 || profile.count % 4 == 0, profile.has("acsp", at: 36),
            profile.has(header.colorType.rawValue & 2 == 0 ? "GRAY" : "RGB ", at: 16),
            profile.has("XYZ ", at: 20) || profile.has("Lab ", at: 20),
            ["scnr", "mntr", "prtr", "spac"].contains(where: { profile.has($0, at: 12) }),
            let intent = profile.uint32(at: 64), intent < 0xFFFF, let tags = profile.uint32(at: 128),
            132 + 12 * tags <= profile.count
        else { throw .brokenHeader("iCCP") }
        for tag in 0..<tags {
            guard let offset = profile.uint32(at: 136 + 12 * tag),
                let size = profile.uint32(at: 140 + 12 * tag),
                offset + size <= profile.count
            else { throw .brokenHeader("iCCP") }
        }
        return profile
    }

    /// Returns the contents of a chunk whose checksum is right.
    private func contents(_ body: Range<Int>) throws(PNGIndexError) -> [UInt8] {
        guard body.count <= Self.largestChunk else { throw .brokenHeader("a chunk is too large") }
        let all = try bytes((body.lowerBound - 4)..<(body.upperBound + 4))
        let checked = all.count - 4
        // libdeflate reads within the count given.
        let checksum = unsafe all.withUnsafeBytes { unsafe libdeflate_crc32(0, $0.baseAddress, checked) }
        guard all.uint32(at: checked) == Int(checksum) else { throw .brokenHeader("a checksum is wrong") }
        return Array(all[4..<checked])
    }

    private func bytes(_ range: Range<Int>) throws(PNGIndexError) -> [UInt8] {
        do throws(FileError) {
            return try file.bytes(range)
        } catch {
            throw .truncated
        }
    }
}
