package import Files
package import PictureEncoding
package import Renders

extension MarkedOutput {
    /// Creates the output of an item of a batch with its folder, and checks that it can be written.
    ///
    /// - Parameters:
    ///   - listed: the files of the batch, none of which is replaced by an output.
    ///   - isMarked: whether it gets the mark; a file without one replaces one with equal bytes.
    package init(
        _ path: String, _ format: PictureFormat, of item: BatchItem, among listed: ListedFiles,
        overwrites: Bool,
        isMarked: Bool = true
    ) throws(FileError) {
        self.init(path, format.fileKind, overwrites: overwrites, isMarked: isMarked) { file in
            FileIdentity(item.file) == file || overwrites && listed.contain(file)
        }
        try Folder.make(OutputFile.folder(of: path), mode: 0o777)
        try check()
    }
}

extension StoredThumbnail {
    /// Writes a picture, and describes its file.
    package init(writing picture: MadePicture, to output: MarkedOutput) throws(FileError) {
        let (bytes, size) = (output.marked(picture.bytes), picture.size)
        try output.write(marked: bytes)
        self.init("\(size.width)x\(size.height)", size.width, size.height, bytes, output.path)
    }
}
