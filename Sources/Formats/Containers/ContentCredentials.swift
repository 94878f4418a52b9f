internal import Basics
package import Files

/// Content credentials: signed statements on the origin of a file, which bind its bytes, so that a changed file that keeps them is
/// called tampered.
///
/// Source: C2PA 2.1, A.3: JUMBF (ISO/IEC 19566-5) in APP11 segments of JPEG, a chunk "caBX" of PNG, a box "uuid" of HEIF and MP4.
package enum ContentCredentials {
    /// The type of the description box of a C2PA store.
    private static let store: [UInt8] = [
        0x63, 0x32, 0x70, 0x61, 0x00, 0x11, 0x00, 0x10, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71,
    ]
    /// The type of a box of HEIF and MP4.
    private static let box: [UInt8] = [
        0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4, 0x81,
    ]
    /// "JP", the numbers of the box and of the part, the length and the type of the box, and the same of its description.
    private static let (number, typePlace, storePlace) = (2..<4, 12, 24)

    /// The largest store that is read for its signer; stores hold small pictures, too.
    private static let mostBytes = 1 << 26

    /// Whether a file has content credentials.
    ///
    /// - Throws: `FileError` where the file cannot be read.
    package static func areIn(_ file: FileBytes) throws(FileError) -> Bool {
        switch FileType(file)?.name {
        case "jpeg": try !parts(ofJPEG: file, isFirst: true).isEmpty
        case "png": try chunk(in: file) != nil
        case "heif", "avif", "mp4", "mov": box(in: file) != nil
        default: false
        }
    }

    /// Returns the store of a file, a box of boxes; nil where it has none, or a very large one.
    ///
    /// - Throws: `FileError` where the file cannot be read.
    package static func store(in file: FileBytes) throws(FileError) -> [UInt8]? {
        let ranges: [Range<Int>] =
            switch FileType(file)?.name {
            case "jpeg": try parts(ofJPEG: file, isFirst: false)
            case "png": try chunk(in: file).map { [$0] } ?? []
            case "heif", "avif", "mp4", "mov": box(in: file).map { [$0] } ?? []
            default: []
            }
        guard !ranges.isEmpty, ranges.reduce(0, { $0 + $1.count }) <= mostBytes else { return nil }
        let store = ranges.flatMap { file.extracting($0).array }
        try file.check()
        return store
    }

    /// Returns the ranges of the store in segments of a JPEG, in their order.
    ///
    /// Each part repeats the length and the type of the box before its bytes.
    ///
    /// - Parameter isFirst: whether the first one is enough.
    private static func parts(ofJPEG file: FileBytes, isFirst: Bool) throws(FileError) -> [Range<Int>] {
        var segments = JPEGSegments(file, gaps: .refused)
        var store: [UInt8]?
        var parts: [(order: Int, range: Range<Int>)] = []
        while let segment = (try? segments.next()) ?? nil, !segment.endsHeader {
            let body = segment.body
            guard segment.marker == 0xEB, body.count > storePlace else { continue }
            let head = file.extracting(body.prefix(storePlace + Self.store.count)).array
            guard head.starts(with: "JP".utf8), let order = file.uint32(at: body.lowerBound + 4) else {
                continue
            }
            if store == nil, isStore(head) { store = Array(head[number]) }
            guard let store, head[number].elementsEqual(store) else { continue }
            // The first part has the box from its length on.
            parts.append((order, body.dropFirst(parts.isEmpty ? 8 : 16)))
            if isFirst { break }
        }
        return parts.sorted { $0.order < $1.order }.map(\.range)
    }

    private static func chunk(in file: FileBytes) throws(FileError) -> Range<Int>? {
        var chunks = PNGChunks(file)
        while let chunk = try chunks.next(), chunk.type != "IDAT" {
            if chunk.type == "caBX" { return chunk.body }
        }
        return nil
    }

    /// Returns the range of the store in a box: behind its type, a version, its purpose, and a position.
    private static func box(in file: FileBytes) -> Range<Int>? {
        let purpose = Array("manifest\0".utf8)
        var boxes = BoxList(file, in: 0..<file.count)
        while let found = (try? boxes.next()) ?? nil {
            guard found.type == "uuid", file.extracting(found.content.prefix(16)).array == box else {
                continue
            }
            let body = found.content.dropFirst(20)
            let isManifest = file.extracting(body.prefix(purpose.count)).array == purpose
            return isManifest ? body.dropFirst(purpose.count + 8) : body
        }
        return nil
    }

    /// Whether an APP11 segment begins a C2PA store.
    fileprivate static func isStore(_ body: [UInt8]) -> Bool {
        body.count >= storePlace + store.count && body.starts(with: "JP".utf8)
            && body[typePlace..<(typePlace + 4)].elementsEqual("jumb".utf8)
            && body[storePlace..<(storePlace + store.count)].elementsEqual(store)
    }

    /// The number of the box of which an APP11 segment is a part.
    fileprivate static func number(_ segment: JPEGFile.Segment) -> ArraySlice<UInt8>? {
        guard segment.marker == 0xEB, segment.begins(with: "JP"), segment.body.count >= storePlace else {
            return nil
        }
        return segment.body[number]
    }
}

extension JPEGFile {
    /// Removes content credentials, whose box may be in several segments; returns whether there were some.
    package mutating func removeContentCredentials() -> Bool {
        let stores = segments.filter { $0.marker == 0xEB && ContentCredentials.isStore($0.body) }
            .compactMap(ContentCredentials.number)
        guard !stores.isEmpty else { return false }
        segments.removeAll { segment in ContentCredentials.number(segment).map(stores.contains) == true }
        return true
    }
}
