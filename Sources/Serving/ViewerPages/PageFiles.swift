internal import Basics

/// The files that pages load, under names that change with their content, so that clients may keep them for ever.
///
/// `viewer.js` becomes `viewer-0123456789abcdef.js`: one script with all modules that it imports, so that a page needs
/// few requests. Everything that the page loads later, by `import("./NAME")` or as a string `"./NAME"`, is found under
/// such a name, too. The plain names remain, with the files as they are.
package struct PageFiles: Sendable {
    /// A file to send.
    package struct File: Equatable, Sendable {
        package let bytes: [UInt8]
        /// The bytes compressed with gzip; nil where that saves little.
        package let gzip: [UInt8]?
        package let mediaType: String
        /// A strong entity tag of the bytes, in quotes.
        package let etag: String
        /// Whether the name changes with the bytes.
        package let isFinal: Bool
    }

    private let files: [String: File]
    private let addresses: [String: String]

    /// - Parameters:
    ///   - sources: The files by their plain names.
    ///   - scripts: Those that only pages refer to which are written later.
    package init(_ sources: [String: ViewerPage.Asset], scripts: [String] = []) {
        var linker = Linker(sources)
        for (name, asset) in sources where asset.isStyle || asset.isPicture || scripts.contains(name) {
            _ = linker.address(of: name)
        }
        var pages: [String: [UInt8]] = [:]
        for (name, asset) in sources where asset.isPage { pages[name] = Array(linker.page(asset.text).utf8) }
        var files = linker.made
        for (name, asset) in sources {
            files[name] = File(pages[name] ?? asset.bytes, asset.mediaType, isFinal: false)
        }
        self.files = files
        addresses = linker.addresses.compactMapValues { $0 }
    }

    /// Returns the file with a plain name or one that changes with its content; nil if there is none.
    package subscript(name: String) -> File? { files[name] }

    /// The name of a file that changes with its content, or the plain one.
    package func address(of name: String) -> String { addresses[name] ?? name }

    /// The names that change with the content, sorted.
    package var finalNames: [String] { addresses.values.sorted() }
}

extension PageFiles.File {
    fileprivate init(_ bytes: [UInt8], _ mediaType: String, isFinal: Bool) {
        self.bytes = bytes
        self.mediaType = mediaType
        self.isFinal = isFinal
        let packed = bytes.count > 256 ? Gzip.compress(bytes) : nil
        gzip = packed.flatMap { $0.count < bytes.count * 9 / 10 ? $0 : nil }
        etag = "\"" + FNV1a.hash(bytes.span).hexadecimal + "\""
    }
}

extension ViewerPage.Asset {
    fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
    fileprivate var isPage: Bool { mediaType.hasPrefix("text/html") }
    fileprivate var isScript: Bool { mediaType.hasPrefix("text/javascript") }
    fileprivate var isStyle: Bool { mediaType.hasPrefix("text/css") }
    fileprivate var isPicture: Bool { mediaType.hasPrefix("image/") }
}

/// Finds what files refer to, and names it by its content.
private struct Linker {
    private let sources: [String: ViewerPage.Asset]
    private(set) var made: [String: PageFiles.File] = [:]
    /// The final names; nil while one is being made, which a cycle of imports reaches again.
    private(set) var addresses: [String: String?] = [:]

    init(_ sources: [String: ViewerPage.Asset]) {
        self.sources = sources
    }

    /// The final name of a file; the plain name if it has none.
    mutating func address(of name: String) -> String {
        if let known = addresses[name] { return known ?? name }
        guard let asset = sources[name] else { return name }
        addresses[name] = .some(nil)
        var bytes = asset.bytes
        if asset.isScript {
            let scripts = sources.filter { $0.value.isScript }
            let script = ModuleBundle(text: { scripts[$0]?.text }).script(of: name) ?? asset.text
            bytes = Array(linked(script).utf8)
        }
        let hash = FNV1a.hash(bytes.span).hexadecimal
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        let final = "\(name[..<dot])-\(hash)\(name[dot...])"
        made[final] = PageFiles.File(bytes, asset.mediaType, isFinal: true)
        addresses[name] = .some(final)
        return final
    }

    /// Replaces the names in a script: the strings `"./NAME"`.
    private mutating func linked(_ script: String) -> String { replacing("\"./", in: script) }

    /// Replaces the names in a page: `/page/NAME"`.
    mutating func page(_ html: String) -> String { replacing("/page/", in: html) }

    /// Replaces the names of files that follow a text and end at a quotation mark.
    private mutating func replacing(_ start: String, in text: String) -> String {
        var result = ""
        var rest = text[...]
        while let found = rest.firstRange(of: start) {
            let name = rest[found.upperBound...].prefix { $0 != "\"" && $0 != "\n" }
            result += rest[..<found.upperBound]
            result += sources[String(name)] == nil ? String(name) : address(of: String(name))
            rest = rest[name.endIndex...]
        }
        return result + rest
    }
}

extension ViewerPage {
    /// The files of the viewer's pages.
    package static let files = PageFiles(all, scripts: ["unpack.js"])
}
