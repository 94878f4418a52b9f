internal import Containers
package import Files
internal import ImageMetadata
internal import JPEGIndexing

/// What is missing or damaged of a photo or film.
package enum FileFlaw {
    /// Returns it as a clause, such as "its end marker is missing"; nil if nothing is found.
    ///
    /// - Parameters:
    ///   - name: the file's name.
    ///   - readsData: whether the compressed data of JPEGs is read, too, without making pixels; otherwise only the structure
    ///     of the file is checked.
    ///   - isCancelled: called now and then; once it returns true, nothing more is found.
    package static func find(
        _ file: any RandomAccessBytes, name: String, readsData: Bool,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) -> String? {
        let bytes = FileBytes(file)
        if let gap = FileGap.find(bytes, name: name) { return gap.text }
        guard readsData, FileType(bytes) == .jpeg else { return nil }
        return JPEGBreak.find(file, isCancelled: isCancelled)?.description
    }
}
