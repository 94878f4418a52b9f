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

    /// Whether a file has content credentials.
    ///
    /// - Throws: `FileError` where the file cannot be read.
    package static func areIn(_ file: FileBytes) throws(FileError) -> Bool {
        switch FileType(file)?.name {
        case "jpeg":
            var segments = JPEGSegments(file, gaps: .refused)
            while let segment = (try? segments.next()) ?? nil, !segment.endsHeader {
                let start = segment.body.prefix(storePlace + store.count)
                if segment.marker == 0xEB, isStore(file.extracting(start).array) { return true }
            }
            return false
        case "png":
            var chunks = PNGChunks(file)
            while let chunk = try chunks.next(), chunk.type != "IDAT" {
                if chunk.type == "caBX" { return true }
            }
            return false
        case "heif", "avif", "mp4", "mov":
            var boxes = BoxList(file, in: 0..<file.count)
            while let found = (try? boxes.next()) ?? nil {
                if found.type == "uuid", file.extracting(found.content.prefix(16)).array == box {
                    return true
                }
            }
            return false
        default: return false
        }
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
