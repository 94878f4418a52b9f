/// An output file of a command, and the rules of what it may replace.
///
/// The rules are the same for all commands. An output is never one of the inputs, not even through links. It never
/// replaces a file of another kind. It replaces one of the same kind only if this program made it or the user allows
/// it. Pipes and devices are written directly. The rules are checked when work begins, and again when the file is
/// renamed to its destination.
package struct Output: Sendable {
    /// The path as given.
    package let path: String
    private let kind: OutputKind
    private let isInput: @Sendable (FileIdentity) -> Bool
    private let overwrites: Bool
    private let isOwn: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - inputs: The files that are read, "-" for standard input.
    ///   - overwrites: Whether a file of the same kind that this program did not make may be replaced.
    ///   - isOwn: Whether the file at a path was made by this program and is unchanged.
    package init(
        _ path: String, _ kind: OutputKind, inputs: [String], overwrites: Bool,
        isOwn: @escaping @Sendable (String) -> Bool
    ) {
        self.init(path, kind, overwrites: overwrites, isOwn: isOwn) { file in
            inputs.contains { FileIdentity($0) == file }
        }
    }

    /// Makes an output for inputs that are too many for a list.
    package init(
        _ path: String, _ kind: OutputKind, overwrites: Bool, isOwn: @escaping @Sendable (String) -> Bool,
        isInput: @escaping @Sendable (FileIdentity) -> Bool
    ) {
        self.path = path
        self.kind = kind
        self.isInput = isInput
        self.overwrites = overwrites
        self.isOwn = isOwn
    }

    /// Whether it is a pipe or a device.
    package var isSpecial: Bool { OutputFile.isSpecial(path) && !Folder.isFolder(path, followingLinks: true) }

    /// Throws if the file cannot be written, before any work is done.
    package func check() throws(FileError) {
        // Nothing is written to a device's folder.
        guard !isSpecial else { return }
        let target = try target()
        try OutputFile.check(target)
        _ = try replaceable(target)
    }

    /// Writes the file atomically: under a hidden name in the same folder, then renamed.
    package func write(_ bytes: [UInt8], modified: Int? = nil) throws(FileError) {
        guard !isSpecial else { return try OutputFile.write(bytes, to: path) }
        let part = try PartFile(in: OutputFile.folder(of: target()))
        do throws(FileError) {
            try part.append(bytes)
            if let modified { part.setModified(modified) }
            try publish(part.path)
        } catch {
            part.discard()
            throw error
        }
    }

    /// A hidden path in the same folder for other code to write to; publish or remove it afterwards.
    package func hiddenPath() throws(FileError) -> String { TemporaryName.beside(try target()) }

    /// Renames a finished file to its destination, unless the existing file must not be replaced.
    package func publish(_ hidden: String) throws(FileError) {
        let target = try target()
        // Other processes may write there at the same time, so each attempt checks again.
        for _ in 0..<100 {
            guard let old = try replaceable(target) else {
                if try Renaming.toNewName(hidden, target) { return }
                continue
            }
            guard try Renaming.exchange(hidden, target) else { return try Folder.move(hidden, to: target) }
            guard FileStatus(hidden) == old else {
                _ = try Renaming.exchange(hidden, target)
                continue
            }
            OutputFile.remove(hidden)
            return
        }
        throw .unwritable("other programs write there all the time")
    }

    /// The file that the path refers to: links are followed, not replaced.
    func target() throws(FileError) -> String { try FileIdentity.target(of: path) }

    /// The file to replace; nil if there is none.
    ///
    /// - Throws: `FileError` if the existing file must not be replaced.
    private func replaceable(_ target: String) throws(FileError) -> FileStatus? {
        guard OutputFolder.isThere(target) || Folder.isFolder(target) else { return nil }
        guard let status = FileStatus(target) else { throw .folder }
        if let identity = FileIdentity(target), isInput(identity) {
            throw .kept("is the input itself, which is never replaced; choose another name")
        }
        if status.size == 0 { return status }
        guard let there = Self.kind(of: target) else { throw .unwritable("what is there cannot be read") }
        guard there == kind else {
            throw .kept("is \(there.rawValue) and would become \(kind.rawValue); choose another name")
        }
        guard overwrites || isOwn(target) else { throw .exists }
        return status
    }

    /// The kind of a file; nil if it cannot be read.
    static func kind(of path: String) -> OutputKind? {
        guard let pieces = try? InputPieces(path) else { return nil }
        return try? pieces.next { bytes in OutputKind((0..<min(64, bytes.count)).map { bytes[$0] }) }
    }
}

/// The kind of a file by its first bytes, which keeps one kind from being replaced by another.
package enum OutputKind: String, Sendable {
    case png = "a PNG picture"
    case jpeg = "a JPEG picture"
    case webp = "a WebP picture"
    case gif = "a GIF picture"
    case heif = "an AVIF or HEIF picture"
    case tiff = "a TIFF picture"
    case jp2 = "a JPEG 2000 picture"
    case movie = "an MP4 or QuickTime film"
    case matroska = "a Matroska or WebM film"
    case zip = "a ZIP archive"
    case pdf = "a PDF document"
    case xml = "an XML file"
    case lines = "a file of JSON"
    case sidecar = "a sidecar"
    case other = "a file of another kind"

    /// Source: the formats' specifications; ISO/IEC 14496-12 for brands.
    init(_ head: [UInt8]) {
        func name(_ start: Int) -> String { String(decoding: head.dropFirst(start).prefix(4), as: UTF8.self) }
        let text = head.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        self =
            switch head.first {
            case 0x89 where head.starts(with: [0x89, 0x50, 0x4E, 0x47]): .png
            case 0xFF where head.starts(with: [0xFF, 0xD8, 0xFF]): .jpeg
            case _ where name(0) == "RIFF" && name(8) == "WEBP": .webp
            case _ where name(0) == "GIF8": .gif
            case _ where ["II*\0", "MM\0*", "II+\0", "MM\0+"].contains(name(0)): .tiff
            case _ where name(4) == "ftyp": Self.pictureBrands.contains(name(8)) ? .heif : .movie
            case _ where ["moov", "mdat", "wide"].contains(name(4)): .movie
            case _ where name(4) == "jP  " || head.starts(with: [0xFF, 0x4F, 0xFF, 0x51]): .jp2
            case _ where head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]): .matroska
            case _ where head.starts(with: [0x50, 0x4B, 3, 4]) || head.starts(with: [0x50, 0x4B, 5, 6]): .zip
            case _ where name(0) == "%PDF": .pdf
            case _ where name(0) == "VPIX": .sidecar
            case _ where text.first == UInt8(ascii: "<"): .xml
            case _ where text.first == UInt8(ascii: "{"): .lines
            default: .other
            }
    }

    private static let pictureBrands: Set = [
        "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "mif2", "msf1", "miaf",
        "avif", "avis", "avio", "MA1A", "MA1B",
    ]
}
