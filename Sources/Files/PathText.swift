private import Platform

/// File names as text, also those that are not UTF-8.
///
/// To the system a name is bytes, which need not be UTF-8. Each byte that is part of no UTF-8 is kept as one scalar
/// for private use, U+F780 for 0x80 to U+F7FF for 0xFF. Where these scalars themselves are in a name, their bytes are
/// kept in the same way, so that every name has one text, and the text gives back the same bytes.
package enum PathText {
    /// The text of a name or path of the system.
    package static func decode(_ bytes: some Collection<UInt8>) -> String {
        let bytes = Array(bytes)
        if let text = String(validating: bytes, as: UTF8.self), !keepsBytes(text) { return text }
        var scalars = String.UnicodeScalarView()
        var at = 0
        while at < bytes.count {
            let length = length(of: bytes[at...])
            if let length, let text = String(validating: bytes[at..<at + length], as: UTF8.self),
                !keepsBytes(text)
            {
                scalars.append(contentsOf: text.unicodeScalars)
                at += length
            } else {
                scalars.append(kept(bytes[at]))
                at += 1
            }
        }
        return String(scalars)
    }

    /// The same of a text of C.
    package static func decode(cString text: UnsafePointer<CChar>) -> String {
        // The bytes are copied at once.
        unsafe decode(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    /// The bytes of a text that came from `decode`, as the system has them; of other texts their UTF-8.
    package static func bytes(_ text: some StringProtocol) -> [UInt8] {
        guard keepsBytes(text) else { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar in
            isKept(scalar) ? [UInt8(scalar.value - first + 0x80)] : Array(UTF8.encode(scalar)!)
        }
    }

    /// The text as people are shown it: what is no UTF-8 as "\xFF".
    package static func shown(_ text: String) -> String {
        guard keepsBytes(text) else { return text }
        return text.unicodeScalars.map { scalar in
            isKept(scalar)
                ? "\\x" + String(scalar.value - first + 0x80, radix: 16, uppercase: true) : String(scalar)
        }.joined()
    }

    /// The arguments of the process, without its name; the standard library's are repaired where they are no UTF-8.
    package static var arguments: [String] {
        // The system's array has as many texts, which nobody changes.
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            unsafe CommandLine.unsafeArgv[index].map { unsafe decode(cString: $0) }
        }
    }

    /// Lends a path as the system takes it.
    package static func withCString<R, E: Error>(
        _ path: String, _ body: (UnsafePointer<CChar>) throws(E) -> R
    ) throws(E) -> R {
        let bytes = keepsBytes(path) ? Self.bytes(path).map(CChar.init(bitPattern:)) + [0] : nil
        // The array, or the text, lives until the call returns.
        if let bytes { return unsafe try body(bytes) }
        return unsafe try body(path)
    }

    private static let first: UInt32 = 0xF780

    private static func kept(_ byte: UInt8) -> Unicode.Scalar {
        // All values from 0xF700 to 0xF8FF are scalars.
        Unicode.Scalar(first + UInt32(byte) - 0x80)!
    }

    private static func isKept(_ scalar: Unicode.Scalar) -> Bool { first...(first + 0x7F) ~= scalar.value }

    /// Whether a text has a scalar that stands for a byte.
    private static func keepsBytes(_ text: some StringProtocol) -> Bool {
        // U+F780 to U+F7FF are EF 9E 80 to EF 9F BF in UTF-8.
        var isBehindEF = false
        for byte in text.utf8 {
            if isBehindEF, byte == 0x9E || byte == 0x9F { return true }
            isBehindEF = byte == 0xEF
        }
        return false
    }

    /// The bytes of the UTF-8 sequence that some bytes begin with, were it whole; nil where none begins so.
    private static func length(of bytes: ArraySlice<UInt8>) -> Int? {
        let length =
            switch bytes[bytes.startIndex] {
            case 0..<0x80: 1
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 0
            }
        return length > 0 && length <= bytes.count ? length : nil
    }
}

/// A path in UTF-8 of a file whose own is none, for libraries and programs that take no other.
///
/// It leads through a descriptor of the file's folder, which is open as long as the value lives.
package final class PlainPath: Sendable {
    package let path: String
    private let descriptor: Int32?

    /// The path itself where it is UTF-8, or where the system has no other.
    package init(_ path: String) {
        #if canImport(Darwin)
        (self.path, descriptor) = (path, nil)
        #else
        let name = OutputFile.name(of: path)
        guard PathText.shown(path) != path else {
            (self.path, descriptor) = (path, nil)
            return
        }
        // A file whose own name is no UTF-8 is held itself; one that is yet to be made has a plain name.
        let isNamePlain = PathText.shown(name) == name
        let descriptor = unsafe open(
            isNamePlain ? OutputFile.folder(of: path) : path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            (self.path, self.descriptor) = (path, nil)
            return
        }
        let link = "/proc/\(getpid())/fd/\(descriptor)"
        (self.path, self.descriptor) = (isNamePlain ? "\(link)/\(name)" : link, descriptor)
        #endif
    }

    deinit { if let descriptor { close(descriptor) } }
}

/// The names that file systems take: they end at 255 bytes.
package enum FileName {
    private static let limit = 255

    package static func fits(_ name: String) -> Bool { PathText.bytes(name).count <= limit }

    /// As much of a name or path as leaves room for what follows, cut between characters.
    package static func cut(_ path: String, before ending: String) -> String {
        var cut = path
        while !fits(OutputFile.name(of: cut) + ending), !OutputFile.name(of: cut).isEmpty { cut.removeLast() }
        return cut
    }
}
