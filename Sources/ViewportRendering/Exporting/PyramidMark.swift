internal import Files
internal import PNGEncoding

/// What says in a folder of tiles that this program made it: a hidden file with checksums of the names and sizes of
/// all other files, and of a descriptor that lies outside of the folder.
///
/// A file that somebody adds, takes away or changes in size makes the folder somebody else's.
enum PyramidMark {
    private static let name = ".viewport"

    /// Adds the mark to a finished folder.
    static func add(to folder: String, descriptor: String?) throws(FileError) {
        guard let sum = sum(of: folder) else { throw .unwritable("its files cannot be listed") }
        let text = "viewport-made 1 \(sum) \(descriptor.flatMap(Self.sum(ofFile:)) ?? 0)\n"
        try OutputFile.write(Array(text.utf8), to: "\(folder)/\(name)")
    }

    /// Whether the folder is as this program made it.
    static func isOn(_ folder: String) -> Bool {
        guard let marked = sums(of: folder) else { return false }
        return marked.listing == sum(of: folder)
    }

    /// Whether a descriptor is the one that was made with the folder.
    static func isOn(_ folder: String, descriptor: String) -> Bool {
        guard let marked = sums(of: folder) else { return false }
        return marked.descriptor == sum(ofFile: descriptor)
    }

    private static func sums(of folder: String) -> (listing: UInt32, descriptor: UInt32)? {
        guard let bytes = try? InputFile.contents("\(folder)/\(name)") else { return nil }
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 4, words[0] == "viewport-made", words[1] == "1", let listing = UInt32(words[2]),
            let descriptor = UInt32(words[3])
        else { return nil }
        return (listing, descriptor)
    }

    private static func sum(ofFile path: String) -> UInt32? { CRC32.of(fileAt: path) }

    /// The checksum of what lies in a folder; nil where it cannot be listed or holds anything but files and folders.
    private static func sum(of folder: String) -> UInt32? {
        var sum: UInt32 = 0
        guard add(folder, as: "", to: &sum) else { return nil }
        return sum
    }

    private static func add(_ folder: String, as path: String, to sum: inout UInt32) -> Bool {
        guard let entries = try? Folder.entries(in: folder) else { return false }
        for entry in entries.sorted(by: { $0.name < $1.name }) where path != "" || entry.name != name {
            let inner = "\(path)/\(entry.name)"
            switch entry.kind {
            case .file(let status): sum = CRC32.of(Array("\(inner) \(status.size)\n".utf8).span, after: sum)
            case .folder:
                sum = CRC32.of(Array("\(inner)/\n".utf8).span, after: sum)
                guard add("\(folder)/\(entry.name)", as: inner, to: &sum) else { return false }
            case .link, .other: return false
            }
        }
        return true
    }
}
