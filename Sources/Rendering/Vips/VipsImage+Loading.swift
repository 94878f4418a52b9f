internal import CVips
private import Files
package import ViewportGeometry

/// libvips' family *foreign*: files of all formats.
extension VipsImage {
    /// Returns the loader for a file by the name of its type, such as "VipsForeignLoadJpegFile".
    ///
    /// - Parameters:
    ///   - name: the name of the file, where the path is that of a descriptor.
    ///   - isPath: whether the name is also a path, for loaders that need one.
    /// - Throws: `VipsError.unknownFormat` where no allowed loader recognizes the file.
    package static func loader(
        for path: String, named name: String? = nil, isPath: Bool = true
    ) throws(VipsError) -> String {
        try VipsLibrary.start()
        let search = LoaderSearch(
            path: path, name: name ?? path, isPath: isPath,
            allowsUntrusted: VipsLibrary.allowsUntrustedLoaders)
        guard let loader = search.find() else {
            throw VipsError(operation: "find_load", reason: .unknownFormat, log: VipsLibrary.takeLog())
        }
        return loader
    }

    /// Returns whether a loader needs the name of a file, or reads other files next to it.
    package static func needsName(_ loader: String) -> Bool {
        ["Openslide", "Magick", "Nifti", "Analyze"].contains { loader.hasPrefix("VipsForeignLoad\($0)") }
    }

    /// Opens a file with a loader; pixels are decoded on demand.
    ///
    /// - Parameter arguments: the arguments of the loader; unknown ones are errors.
    package static func load(
        _ path: String, with loader: String, _ arguments: [String: VipsArgument]
    ) throws(VipsError) -> VipsImage {
        let operation = try VipsOperation(loader)
        try operation.set("filename", .string(path))
        try operation.set(arguments)
        return try operation.image()
    }

    /// Returns whether a loader can only read rows from the top.
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
        try operation.set(arguments)
        return try operation.image()
    }

    /// Returns whether a loader has an argument.
    package static func loader(_ loader: String, takes argument: String) -> Bool {
        (try? VipsOperation(loader))?.hasArgument(argument) ?? false
    }

    /// Returns the image as a file in memory, written by a saver such as "jpegsave_buffer".
    package func saved(
        with saver: String, _ arguments: [String: VipsArgument]
    ) throws(VipsError) -> [UInt8] {
        let operation = try operation(saver)
        try operation.set(arguments)
        return try operation.bytes()
    }

    /// Writes the image to a file with a saver such as "tiffsave".
    package func save(
        _ path: String, with saver: String, _ arguments: [String: VipsArgument] = [:]
    ) throws(VipsError) {
        let operation = try operation(saver)
        try operation.set("filename", .string(path))
        try operation.set(arguments)
        try operation.run()
    }
}

/// Pixels in files without a header.
extension VipsImage {
    /// Opens a file of raw samples, rows from the top; the file is mapped.
    ///
    /// - Throws: `VipsError` where the file is shorter than width x height x bands x sample.
    package static func rawFile(
        _ path: String, size: PixelSize<StoredGrid>, bands: Int, format: SampleFormat = .uint8,
        interpretation: String, threads: Int? = nil
    ) throws(VipsError) -> VipsImage {
        try VipsLibrary.start()
        let pixelBytes = Int32(bands * format.bytes)
        guard
            let image = unsafe PathText.withCString(
                path,
                {
                    unsafe vips_image_new_from_file_raw(
                        $0, Int32(size.width), Int32(size.height), pixelBytes, 0)
                })
        else { throw VipsError(operation: "new_from_file_raw", reason: .failed, log: VipsLibrary.takeLog()) }
        // Opened as bytes, then reinterpreted as samples.
        let copy = try unsafe VipsImage(owning: image).operation("copy")
        try copy.set("bands", .int(bands))
        try copy.set("format", .name(format.nick))
        try copy.set("interpretation", .name(interpretation))
        let samples = try copy.image()
        samples.limitThreads(threads)
        return samples
    }

    /// Limits the threads of operations on the image, which must not be in use yet.
    func limitThreads(_ threads: Int?) {
        // Images inherit the limit from their inputs.
        if let threads { unsafe vips_image_set_int(pointer, "concurrency", Int32(threads)) }
    }
}

/// Finds the loader of a file among the allowed ones.
///
/// libvips' own search runs every loader on the bytes, including untrusted ones, and one of them can
/// be made to loop forever. This search skips blocked loaders.
final class LoaderSearch {
    private let path: String
    private let name: String
    private let isPath: Bool
    private let allowsUntrusted: Bool

    init(path: String, name: String, isPath: Bool, allowsUntrusted: Bool) {
        self.path = path
        self.name = name
        self.isPath = isPath
        self.allowsUntrusted = allowsUntrusted
    }

    /// Returns the name of the loader's type, such as "VipsForeignLoadJpegFile"; nil where none recognizes the file.
    func find() -> String? {
        // libvips calls back before it returns, so the search outlives every use of its address.
        let found = unsafe vips_foreign_map(
            "VipsForeignLoad",
            { item, search, _ in
                guard let item = unsafe item, let search = unsafe search else { return nil }
                // `vips_foreign_map` passes classes of the requested base.
                let loader = unsafe item.assumingMemoryBound(to: VipsForeignLoadClass.self)
                let context = unsafe Unmanaged<LoaderSearch>.fromOpaque(search).takeUnretainedValue()
                return unsafe context.accepts(loader) ? item : nil
            }, Unmanaged.passUnretained(self).toOpaque(), nil)
        guard let found = unsafe found else { return nil }
        return unsafe String(
            cString: g_type_name(found.assumingMemoryBound(to: GTypeClass.self).pointee.g_type))
    }

    private func accepts(_ loader: UnsafeMutablePointer<VipsForeignLoadClass>) -> Bool {
        let foreign = unsafe loader.pointee.parent_class
        guard unsafe allowsUntrusted || !isUntrusted(loader) else { return false }
        if let isA = unsafe loader.pointee.is_a, unsafe !isNameEnough(loader) {
            let path = unsafe isPath && VipsImage.needsName(typeName(loader)) ? name : path
            return unsafe PathText.withCString(path) { unsafe isA($0) } != 0
        }
        guard let endings = unsafe foreign.suffs else { return false }
        return unsafe PathText.withCString(name) { unsafe vips_filename_suffix_match($0, endings) } != 0
    }

    /// Whether a loader must not read the bytes: libvips 8.14 loops forever on a truncated .svgz.
    private func isNameEnough(_ loader: UnsafeMutablePointer<VipsForeignLoadClass>) -> Bool {
        guard unsafe typeName(loader) == "VipsForeignLoadSvgFile" else { return false }
        return [".svgz", ".svg.gz"].contains { name.lowercased().hasSuffix($0) }
    }

    private func typeName(_ loader: UnsafeMutablePointer<VipsForeignLoadClass>) -> String {
        // A class begins with its type.
        let type = unsafe UnsafeRawPointer(loader).assumingMemoryBound(to: GTypeClass.self).pointee.g_type
        return unsafe String(cString: g_type_name(type))
    }

    private func isUntrusted(_ loader: UnsafeMutablePointer<VipsForeignLoadClass>) -> Bool {
        // A loader is an operation: its class begins with VipsOperationClass.
        let flags =
            unsafe UnsafeRawPointer(loader).assumingMemoryBound(to: VipsOperationClass.self).pointee.flags
        return flags.rawValue & VIPS_OPERATION_UNTRUSTED.rawValue != 0
    }
}
