internal import CVips
private import Files

/// libvips' family *foreign*: files of all formats.
extension VipsImage {
    /// The loader that libvips would use for a file, by its type's name: "VipsForeignLoadJpegFile".
    ///
    /// - Parameter name: its name, where the path is one of an open file.
    /// - Throws: `VipsError.unknownFormat` where none that may be used knows the file.
    package static func loader(for path: String, named name: String? = nil) throws(VipsError) -> String {
        try VipsLibrary.start()
        let search = LoaderSearch(
            path: path, name: name ?? path, allowsUntrusted: VipsLibrary.allowsUntrustedLoaders)
        guard let loader = search.find() else {
            throw VipsError(operation: "find_load", reason: .unknownFormat, log: VipsLibrary.takeLog())
        }
        return loader
    }

    /// Whether a loader goes by the name of a file, or reads others beside it.
    package static func needsName(_ loader: String) -> Bool {
        ["Openslide", "Magick", "Nifti", "Analyze"].contains { loader.hasPrefix("VipsForeignLoad\($0)") }
    }

    /// Opens a file with a loader; pixels are decoded when they are asked for.
    ///
    /// - Parameter arguments: the loader's own; those that it does not know are errors.
    package static func load(
        _ path: String, with loader: String, _ arguments: [String: VipsArgument]
    ) throws(VipsError) -> VipsImage {
        let operation = try VipsOperation(loader)
        try operation.set("filename", .string(path))
        for (name, value) in arguments.sorted(by: { $0.key < $1.key }) {
            try operation.set(name, value)
        }
        return try operation.image()
    }

    /// Whether a loader can only read a file from the top, row by row.
    package static func isSequential(_ path: String, with loader: String) -> Bool {
        let flags = unsafe PathText.withCString(path) { unsafe vips_foreign_flags(loader, $0) }
        return flags.rawValue & VIPS_FOREIGN_SEQUENTIAL.rawValue != 0
            && flags.rawValue & VIPS_FOREIGN_PARTIAL.rawValue == 0
    }

    /// Opens a file in memory; libvips copies the bytes.
    package static func load(
        bytes: [UInt8], with loader: String, _ arguments: [String: VipsArgument] = [:]
    ) throws(VipsError) -> VipsImage {
        let operation = try VipsOperation(loader)
        try operation.set("buffer", .blob(bytes))
        for (name, value) in arguments.sorted(by: { $0.key < $1.key }) {
            try operation.set(name, value)
        }
        return try operation.image()
    }

    /// Whether a loader takes an argument.
    package static func loader(_ loader: String, takes argument: String) -> Bool {
        (try? VipsOperation(loader))?.hasArgument(argument) ?? false
    }

    /// The image as a file in memory, written by a saver such as "jpegsave_buffer".
    package func saved(
        with saver: String, _ arguments: [String: VipsArgument]
    ) throws(VipsError) -> [UInt8] {
        let operation = try operation(saver)
        for (name, value) in arguments.sorted(by: { $0.key < $1.key }) {
            try operation.set(name, value)
        }
        return try operation.bytes()
    }

    /// Writes the image to a file with a saver such as "tiffsave".
    package func save(
        _ path: String, with saver: String, _ arguments: [String: VipsArgument] = [:]
    ) throws(VipsError) {
        let operation = try operation(saver)
        try operation.set("filename", .string(path))
        for (name, value) in arguments.sorted(by: { $0.key < $1.key }) {
            try operation.set(name, value)
        }
        try operation.run()
    }
}
