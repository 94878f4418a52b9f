package import ImageMetadata

extension FileMetadata {
    /// Reads a file that is a test's own.
    package init?(
        of bytes: [UInt8], name: String = "x", sidecar: String? = nil, fileTime: Int? = nil,
        assumedZone: AssumedZone? = nil
    ) {
        self.init(
            FileBytes(bytes), name: name, sidecar: sidecar.map { Array($0.utf8) }, fileTime: fileTime,
            assumedZone: assumedZone)
    }
}

extension FileFormat {
    /// Recognizes a file that is a test's own.
    package init?(of bytes: [UInt8], name: String = "x") {
        self.init(FileBytes(bytes), name: name)
    }
}
