internal import AssetCatalog
internal import Files

/// The last import of a library: a plan that knows another one is older.
///
/// It is the content of the lock file: random digits, and a mark that is written when the import ends. A killed import
/// leaves none.
struct LastImport: Equatable, Sendable {
    private let content: [UInt8]

    init(of library: PhotoLibrary) {
        content = (try? InputFile.contents(library.catalogPath + LibraryFolder.importLockSuffix)) ?? []
    }

    /// Whether no import was running when this was read.
    var hasEnded: Bool { content.isEmpty || content.last == UInt8(ascii: ".") }

    /// Records that an import begins, before it writes its first file.
    static func begin(_ lock: FileLock) throws(FileError) { try lock.write(content("+")) }

    /// Records that the import has ended; without it, the next import compares its files once more.
    static func end(_ lock: FileLock) { try? lock.write(content(".")) }

    /// 16 random digits and a mark: the length is always the same, so that a full disk can take it again.
    private static func content(_ mark: String) -> [UInt8] {
        Array((String(UInt64.random(in: 1 << 63...(.max)), radix: 16) + mark).utf8)
    }
}
