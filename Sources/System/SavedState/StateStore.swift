internal import Basics
internal import Files

/// A folder of archives that restore the state of a program in its next run.
public struct StateStore: Sendable {
    /// The path of the folder, which is created with the first archive.
    public let folder: String

    /// The folder `viewport` in XDG_STATE_HOME, or else in the home folder's `.local/state`.
    ///
    /// Source: XDG Base Directory Specification 0.8.
    public static var usualPath: String { UserFolder.state.path }

    /// Creates a store; by default the user's.
    public init(folder: String = Self.usualPath) {
        self.folder = folder
    }

    /// Returns the archive of a name, which may contain any characters.
    ///
    /// - Parameter version: The version of the values that are stored.
    public func archive<Value>(
        _ name: String, of type: Value.Type = Value.self, version: Int = 1
    ) -> ValueArchive<Value> {
        ValueArchive(path: "\(folder)/\(Self.fileName(name)).json", version: version)
    }

    /// Small letters, digits and - stay; other bytes become %xx, and long names end with a hash.
    ///
    /// Some file systems do not distinguish capital letters.
    private static func fileName(_ name: String) -> String {
        let bytes = PathText.bytes(name)
        let text = bytes.map { byte in
            let isPlain = byte == 0x2D || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
            return isPlain ? String(Unicode.Scalar(byte)) : "%" + [byte].hexadecimal
        }.joined()
        guard !text.isEmpty else { return "%" }
        return text.utf8.count <= 200 ? text : "\(text.prefix(180))-\(FNV1a.hash(bytes).hexadecimal)"
    }
}
