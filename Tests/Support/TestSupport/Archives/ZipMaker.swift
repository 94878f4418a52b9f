import CDeflate

/// Writes ZIP archives in all forms that programs write, and with the faults of hostile ones.
package struct ZipMaker {
    /// An entry and how it is stored.
    package struct Entry: Sendable {
        package var name: [UInt8]
        package var bytes: [UInt8]
        package var isDeflated = true
        package var flags: UInt16 = 0x800
        package var method: UInt16?
        /// Sizes and checksum follow the data instead of being in the header.
        package var hasDescriptor = false
        /// Sizes and the offset are in the fields of ZIP64.
        package var isLarge = false
        /// The Unix mode; nil for an archive made on DOS.
        package var mode: UInt16? = 0o100644
        /// Seconds since 1970, for the extended time.
        package var modified: Int32?
        /// Replaces what is true, for faults.
        package var checksum: UInt32?
        package var statedSize: Int?
        package var headerOffset: Int?
        package var headerName: [UInt8]?

        package init(_ name: String, _ bytes: [UInt8]) {
            (self.name, self.bytes) = (Array(name.utf8), bytes)
        }
    }

    package var entries: [Entry] = []
    package var comment: [UInt8] = []
    package var isLarge = false
    package var disk: UInt16 = 0

    package init(_ entries: [Entry] = []) { self.entries = entries }

    package func bytes() -> [UInt8] {
        var file: [UInt8] = []
        var directory: [UInt8] = []
        for entry in entries {
            let data = entry.isDeflated ? Self.deflate(entry.bytes) : entry.bytes
            let method = entry.method ?? (entry.isDeflated ? 8 : 0)
            let checksum = entry.checksum ?? Self.checksum(entry.bytes)
            let offset = entry.headerOffset ?? file.count
            let size = entry.statedSize ?? entry.bytes.count
            let flags = entry.flags | (entry.hasDescriptor ? 8 : 0)
            var extra: [UInt8] = []
            if let modified = entry.modified {
                extra += little(0x5455, 2) + little(5, 2) + [1] + little(Int(modified), 4)
            }
            let name = entry.headerName ?? entry.name
            file += little(0x0403_4B50, 4) + little(20, 2) + little(Int(flags), 2) + little(Int(method), 2)
            file += little(0x6000, 2) + little(0x4EE4, 2)
            file +=
                entry.hasDescriptor
                ? little(0, 12)
                : little(Int(checksum), 4) + little(data.count, 4) + little(size, 4)
            file += little(name.count, 2) + little(extra.count, 2) + name + extra + data
            if entry.hasDescriptor {
                file += little(0x0807_4B50, 4) + little(Int(checksum), 4)
                file += little(data.count, 4) + little(size, 4)
            }
            let large =
                entry.isLarge
                ? little(1, 2) + little(24, 2) + little(size, 8) + little(data.count, 8) + little(offset, 8)
                : []
            let maker = entry.mode == nil ? 20 : 3 << 8 | 20
            directory += little(0x0201_4B50, 4) + little(maker, 2) + little(20, 2) + little(Int(flags), 2)
            directory +=
                little(Int(method), 2) + little(0x6000, 2) + little(0x4EE4, 2) + little(Int(checksum), 4)
            directory +=
                entry.isLarge
                ? little(0xFFFF_FFFF, 4) + little(0xFFFF_FFFF, 4) : little(data.count, 4) + little(size, 4)
            directory += little(entry.name.count, 2) + little(extra.count + large.count, 2) + little(0, 6)
            directory += little(Int(entry.mode ?? 0) << 16, 4)
            directory += little(entry.isLarge ? 0xFFFF_FFFF : offset, 4) + entry.name + extra + large
        }
        let start = file.count
        file += directory
        if isLarge {
            let record = file.count
            file += little(0x0606_4B50, 4) + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8)
            file += little(entries.count, 8) + little(entries.count, 8)
            file += little(directory.count, 8) + little(start, 8)
            file += little(0x0706_4B50, 4) + little(0, 4) + little(record, 8) + little(1, 4)
        }
        file += little(0x0605_4B50, 4) + little(Int(disk), 2) + little(0, 2)
        file += little(isLarge ? 0xFFFF : entries.count, 2) + little(isLarge ? 0xFFFF : entries.count, 2)
        file += little(isLarge ? 0xFFFF_FFFF : directory.count, 4) + little(isLarge ? 0xFFFF_FFFF : start, 4)
        return file + little(comment.count, 2) + comment
    }

    /// Compresses bytes as raw deflate.
    package static func deflate(_ bytes: [UInt8]) -> [UInt8] {
        // The compressor lives for the call only; its output fits in the bound that it states.
        let compressor = unsafe libdeflate_alloc_compressor(6)
        defer { unsafe libdeflate_free_compressor(compressor) }
        let room = unsafe libdeflate_deflate_compress_bound(compressor, bytes.count)
        return unsafe [UInt8](unsafeUninitializedCapacity: room) { output, count in
            count = unsafe bytes.withUnsafeBytes { input in
                unsafe libdeflate_deflate_compress(
                    compressor, input.baseAddress, input.count, output.baseAddress, room)
            }
        }
    }

    package static func checksum(_ bytes: [UInt8]) -> UInt32 {
        unsafe bytes.withUnsafeBytes { unsafe libdeflate_crc32(0, $0.baseAddress, $0.count) }
    }

    private func little(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
    }
}
