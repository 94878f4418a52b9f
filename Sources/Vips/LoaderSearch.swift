internal import CVips
private import Files

/// Finds the loader of a file among those that may be used.
///
/// libvips' own search lets every loader look at the bytes, also those that it does not trust; one of them can
/// be made to look for ever. Here those that are shut do not get to see the file.
final class LoaderSearch {
    private let path: String
    private let name: String
    private let allowsUntrusted: Bool

    init(path: String, name: String, allowsUntrusted: Bool) {
        self.path = path
        self.name = name
        self.allowsUntrusted = allowsUntrusted
    }

    /// The name of the loader's type, "VipsForeignLoadJpegFile"; nil where none knows the file.
    func find() -> String? {
        // libvips calls back before it returns, so the search outlives every use of its address.
        let found = unsafe vips_foreign_map(
            "VipsForeignLoad",
            { item, search, _ in
                guard let item = unsafe item, let search = unsafe search else { return nil }
                // `vips_foreign_map` hands out classes of the base that it was asked for.
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
            let path = unsafe VipsImage.needsName(typeName(loader)) ? name : path
            return unsafe PathText.withCString(path) { unsafe isA($0) } != 0
        }
        guard let endings = unsafe foreign.suffs else { return false }
        return unsafe PathText.withCString(name) { unsafe vips_filename_suffix_match($0, endings) } != 0
    }

    /// Whether a loader must not look at the bytes: libvips 8.14 inflates the head of a cut .svgz for ever.
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
