private import Platform

/// File names as text, also those that are not UTF-8.
///
/// The system's names are bytes, which need not be UTF-8. Each byte that is not part of valid UTF-8 is represented by
/// a private-use scalar, U+F780 for 0x80 to U+F7FF for 0xFF. If a name contains these scalars themselves, their bytes
/// are represented in the same way, so that the conversion is reversible.
package enum PathText {
    /// Returns the text of a name or path of the system.
    package static func decode(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !keepsBytes(text) { return text }
        let bytes = Array(bytes)
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

    /// Returns the text of a C string.
    package static func decode(cString text: UnsafePointer<CChar>) -> String {
        // The bytes are copied at once.
        unsafe decode(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    /// Returns the system's bytes for a text from `decode`; for other texts, their UTF-8.
    package static func bytes(_ text: some StringProtocol) -> [UInt8] {
        guard keepsBytes(text) else { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar in
            isKept(scalar) ? [UInt8(scalar.value - first + 0x80)] : Array(UTF8.encode(scalar)!)
        }
    }

    /// Returns the text for display: bytes that are not UTF-8 as "\xFF".
    package static func shown(_ text: String) -> String {
        guard keepsBytes(text) else { return text }
        return text.unicodeScalars.map { scalar in
            isKept(scalar)
                ? "\\x" + String(scalar.value - first + 0x80, radix: 16, uppercase: true) : String(scalar)
        }.joined()
    }

    /// The arguments of the process without its name, also those that are not UTF-8, which the standard library
    /// repairs.
    package static var arguments: [String] {
        // The system's array has `argc` strings, which do not change.
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            unsafe CommandLine.unsafeArgv[index].map { unsafe decode(cString: $0) }
        }
    }

    /// Calls a closure with a path as a C string for the system.
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

    /// Whether a text has a scalar that represents a byte.
    private static func keepsBytes(_ text: some StringProtocol) -> Bool {
        // U+F780 to U+F7FF are EF 9E 80 to EF 9F BF in UTF-8.
        var isBehindEF = false
        for byte in text.utf8 {
            if isBehindEF, byte == 0x9E || byte == 0x9F { return true }
            isBehindEF = byte == 0xEF
        }
        return false
    }

    /// The length of the UTF-8 sequence that starts with the first byte; nil if none does.
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

/// A UTF-8 path of a file whose own path is not UTF-8, for libraries and programs that require UTF-8.
///
/// It refers to a descriptor of the file's folder, which stays open as long as the value exists.
package final class PlainPath: Sendable {
    package let path: String
    private let descriptor: Int32?

    /// The path itself if it is UTF-8, or if the system has no paths for descriptors.
    package init(_ path: String) {
        #if canImport(Darwin)
        (self.path, descriptor) = (path, nil)
        #else
        let name = OutputFile.name(of: path)
        guard PathText.shown(path) != path else {
            (self.path, descriptor) = (path, nil)
            return
        }
        // A file whose name is not UTF-8 is opened itself; files that do not exist yet have UTF-8 names.
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

/// The limits of file systems on names: 255 bytes.
package enum FileName {
    private static let limit = 255

    package static func fits(_ name: String) -> Bool { PathText.bytes(name).count <= limit }

    /// A name or path, cut between characters to leave room for a suffix.
    package static func cut(_ path: String, before ending: String) -> String {
        var cut = path
        while !fits(OutputFile.name(of: cut) + ending), !OutputFile.name(of: cut).isEmpty { cut.removeLast() }
        return cut
    }

    /// "a (12)" is "a" and 12; nil for names without a number behind a blank.
    package static func numbered(_ name: String) -> (rest: String, number: Int)? {
        guard name.hasSuffix(")"), let open = name.lastIndex(of: "("), name[..<open].hasSuffix(" "),
            let number = Int(name[name.index(after: open)...].dropLast())
        else { return nil }
        return (String(name[..<open].dropLast()), number)
    }
}
