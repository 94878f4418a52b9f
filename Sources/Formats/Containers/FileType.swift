internal import Basics
package import Files

/// A type of files: what is known of it without reading more than its first bytes.
///
/// `FileTypes.swift` has one row for each; nothing else lists signatures, brands or extensions.
package struct FileType: Sendable {
    /// The name by which formats of other targets refer to the row, such as "jpeg".
    package let name: String
    /// The name in lists for users, such as "JPEG".
    package let title: String
    /// A file of the type in a sentence, such as "a PDF".
    package let phrase: String
    /// What the type is for.
    package let role: Role
    /// How its first bytes look: one of these.
    ///
    /// Types without any are told by their extension only.
    let signatures: [Signature]
    /// Its file name extensions in small letters, the one that is written first.
    package let extensions: [String]
    /// Further extensions of files that are read.
    package let readExtensions: [String]
    /// Its media type; nil for types that browsers do not know.
    let ownMediaType: String?
    /// Further media types that desktops have for it; source: freedesktop.org's shared-mime-info.
    let desktopTypes: [String]
    /// The prefix of libvips' loaders for it, such as "jpeg" of "jpegload"; nil if libvips has none.
    package let loader: String?
    /// The makers of cameras, in capitals, whose files with a sensor's data in a TIFF are of the type.
    let makers: [String]
    package let traits: Traits

    /// The roles of types.
    package enum Role: Sendable {
        /// Pixels, or a drawing of them.
        case picture
        /// The data of a camera's sensor.
        case raw
        case video
        /// A drawing or a document without pixels of its own.
        case document
        /// Metadata of another file with the same name.
        case sidecar
        /// What a camera keeps for itself beside photos and films: catalogs, print orders, positions of a drone.
        case camera
        /// Anything else that the program writes, or that users name.
        case other
    }

    /// What sets a type apart.
    package struct Traits: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// Its decoder holds the whole picture, however small the requested part.
        package static let decodedWhole = Traits(rawValue: 1)
        /// Its decoder needs four times the memory of the pixels, instead of twice.
        package static let decodedTwice = Traits(rawValue: 2)
        /// It is drawn at any resolution instead of decoded.
        package static let drawn = Traits(rawValue: 4)
        /// libvips does not trust its loader with hostile files.
        package static let untrusted = Traits(rawValue: 8)
        /// libvips reads it without a plug-in.
        package static let builtIn = Traits(rawValue: 16)
        /// Scans of folders take it.
        package static let scanned = Traits(rawValue: 32)
        /// The server lists it.
        package static let listed = Traits(rawValue: 64)
        /// Users expect a library to keep it: such a file is not left out in silence.
        package static let kept = Traits(rawValue: 128)
        /// Every picture in it is exact, so that copies of it should be, too.
        package static let lossless = Traits(rawValue: 256)
    }

    init(
        _ name: String, _ title: String, _ phrase: String? = nil, _ role: Role = .picture,
        _ signatures: [Signature] = [], _ extensions: [String] = [], read: [String] = [],
        media: String? = nil, desktop: [String] = [], loader: String? = nil, makers: [String] = [],
        _ traits: Traits = []
    ) {
        (self.name, self.title, self.phrase, self.role) = (name, title, phrase ?? title, role)
        (self.signatures, self.extensions, readExtensions) = (signatures, extensions, read)
        (ownMediaType, desktopTypes) = (media, desktop)
        (self.loader, self.makers, self.traits) = (loader, makers, traits)
    }
}

extension FileType {
    /// The media type, that of unknown bytes for types without one.
    package var mediaType: String { ownMediaType ?? "application/octet-stream" }

    /// The extension of files that are written.
    package var fileExtension: String { extensions.first ?? name }

    package func has(_ trait: Traits) -> Bool { traits.contains(trait) }

    /// libvips' operation that reads it.
    package var operation: String? { loader.map { "\($0)load" } }

    /// Whether it is a raw format that begins like any TIFF, and is told by what is inside or by its extension.
    package var isToldByMaker: Bool { !makers.isEmpty }

    /// Returns the type of a name.
    package static func named(_ name: String) -> FileType? { byName[name] }

    /// Returns the type of a file name extension, in any case.
    package static func ofExtension(_ text: String) -> FileType? { byExtension[text.lowercased()] }

    /// Returns the type of an extension of files that are written, in any case.
    package static func writtenAs(_ text: String) -> FileType? {
        ofExtension(text).flatMap { $0.extensions.contains(text.lowercased()) ? $0 : nil }
    }

    /// Returns the type that a libvips loader reads, by the name of its class, such as "VipsForeignLoadJpegFile".
    package static func ofLoader(_ name: String) -> FileType? {
        let text = name.dropFirst("VipsForeignLoad".count).lowercased()
        return all.first { type in
            // The class for GIF has the name of a library, libnsgif.
            type.loader.map { text.hasPrefix($0) || text.hasPrefix("ns\($0)") } ?? false
        }
    }

    /// Returns the type of files with a sensor's data in a TIFF, by the maker of the camera in capitals.
    package static func ofMaker(_ name: String) -> FileType? {
        all.first { $0.makers.contains(where: name.hasPrefix) }
    }

    /// The extensions of the types with a trait.
    package static func extensions(_ trait: Traits) -> Set<String> {
        Set(all.filter { $0.has(trait) }.flatMap { $0.extensions + $0.readExtensions })
    }

    /// The extensions of sidecars.
    package static let sidecarExtensions = Set(all.filter { $0.role == .sidecar }.flatMap(\.extensions))
    /// Whether a file is one that a camera keeps for itself, by its extension or by its folder; never a photo or a film.
    package static func isOfCamera(_ path: FilePath) -> Bool {
        let ending = path.fileExtension?.text.lowercased() ?? ""
        guard let type = ofExtension(ending) else { return isInCameraFolder(path) }
        if type.role == .camera || ["thm", "proxy"].contains(type.name) { return true }
        return type.role == .other && isInCameraFolder(path)
    }

    private static func isInCameraFolder(_ path: FilePath) -> Bool {
        path.folder.names.contains { cameraFolders.contains(FilePath($0.text.uppercased())) }
    }

    /// The extensions that scans of folders take.
    package static let scannedExtensions = extensions(.scanned)
    /// The extensions of scans of folders for pictures alone.
    package static let pictureExtensions = scannedExtensions.filter { ofExtension($0)?.role != .video }
    /// The extensions that the server lists.
    package static let listedExtensions = extensions(.listed)
    /// The extensions of files that users expect a library to keep.
    package static let keptExtensions = extensions(.kept)

    /// The media types that desktops have for pictures that are shown without `--allow-untrusted`.
    package static let shownMediaTypes = all.filter { $0.has(.listed) && !$0.has(.untrusted) }.flatMap {
        type in
        (type.ownMediaType.map { [$0] } ?? []) + type.desktopTypes
    }

    private static let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    private static let byExtension = Dictionary(
        all.flatMap { type in (type.extensions + type.readExtensions).map { ($0, type) } }
    ) { first, _ in first }
}

extension FileType: Hashable {
    package static func == (one: Self, other: Self) -> Bool { one.name == other.name }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension FileType {
    /// Recognizes a file by its bytes; nil if it is of no known type.
    ///
    /// Raw formats that begin like any TIFF are TIFFs here.
    ///
    /// - Parameter name: The file's name, whose extension distinguishes types with the same first bytes.
    package init?(_ bytes: FileBytes, name: String = "") {
        let head = Head(bytes, ending: name)
        guard let type = Self.all.first(where: { type in type.signatures.contains { $0.matches(head) } })
        else {
            return nil
        }
        self = type
    }

    /// Recognizes a file by its first bytes.
    package init?(head: [UInt8]) { self.init(FileBytes(head)) }

    /// The number of bytes by which any type is recognized.
    package static let headLength = 1024

    /// The first bytes of a file.
    struct Head {
        let bytes: [UInt8]
        let file: FileBytes
        /// The brands of an ISO base media file, the major one first; empty for other files.
        let brands: [FourCC]
        /// The extension of the file's name in small letters.
        let ending: String

        /// The first character of a text, after white space and a byte-order mark.
        var firstLetter: Character? {
            let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
            return text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }.map { Character(Unicode.Scalar($0)) }
        }

        init(_ file: FileBytes, ending name: String) {
            self.file = file
            let bytes = file.extracting(0..<min(file.count, FileType.headLength)).array
            self.bytes = bytes
            ending = name.split(separator: ".").last?.lowercased() ?? ""
            guard bytes.has("ftyp", at: 4), let length = bytes.uint32(at: 0) else {
                brands = []
                return
            }
            let end = min(length, 256, bytes.count)
            // The version of the major brand is between it and the others.
            brands = stride(from: 8, to: end - 3, by: 4).filter { $0 != 12 }.compactMap {
                bytes.fourCC(at: $0)
            }
        }
    }

    /// A rule for the first bytes of a file.
    struct Signature: Sendable {
        let matches: @Sendable (Head) -> Bool

        /// Bytes at an offset.
        static func bytes(_ bytes: [UInt8], at offset: Int = 0) -> Signature {
            Signature { $0.bytes.dropFirst(offset).starts(with: bytes) }
        }

        /// ASCII text at an offset.
        static func text(_ text: String, at offset: Int = 0) -> Signature {
            Signature { $0.bytes.has(text, at: offset) }
        }

        /// A RIFF file of a form.
        static func riff(_ form: String) -> Signature {
            Signature { $0.bytes.has("RIFF") && $0.bytes.has(form, at: 8) }
        }

        /// An ISO base media file with any of these brands, the major one or another.
        static func brands(_ brands: Set<FourCC>) -> Signature {
            Signature { head in head.brands.contains { brands.contains($0) } }
        }

        /// A file with a first box of one of these types.
        static func firstBox(_ types: Set<FourCC>) -> Signature {
            Signature { head in head.bytes.fourCC(at: 4).map(types.contains) ?? false }
        }

        /// Any other rule.
        static func rule(_ matches: @escaping @Sendable (Head) -> Bool) -> Signature {
            Signature(matches: matches)
        }
    }
}
