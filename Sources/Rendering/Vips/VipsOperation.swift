internal import CVips
private import Files

/// A call of a libvips operation by its nickname: set arguments, run, get the outputs.
///
/// Uses the GObject layer, as libvips' guide for bindings recommends. The C functions of libvips are
/// varargs and cannot be called safely from Swift.
@safe package struct VipsOperation: ~Copyable {
    package let nickname: String
    // Owned: made in init, released in deinit or handed to run().
    private let operation: UnsafeMutablePointer<CVips.VipsOperation>

    /// - Throws: `VipsError.missingOperation` where the installed libvips lacks it.
    package init(_ nickname: String) throws(VipsError) {
        try VipsLibrary.start()
        guard let operation = unsafe vips_operation_new(nickname) else {
            throw VipsError(operation: nickname, reason: .missingOperation, log: VipsLibrary.takeLog())
        }
        unsafe self.operation = operation
        self.nickname = nickname
    }

    deinit {
        unsafe vips_object_unref_outputs(object)
        unsafe g_object_unref(operation)
    }

    private var object: UnsafeMutablePointer<VipsObject> {
        // Every VipsOperation begins with its VipsObject: GObject's inheritance.
        unsafe UnsafeMutableRawPointer(operation).assumingMemoryBound(to: VipsObject.self)
    }

    /// Returns the GType of an argument; nil where the operation has none of this name.
    func argumentType(_ name: String) -> GType? {
        let type = unsafe cvips_property_type(operation, name)
        return type == 0 ? nil : type
    }

    /// Returns whether the installed libvips supports the argument.
    package func hasArgument(_ name: String) -> Bool { argumentType(name) != nil }

    /// Sets an argument.
    ///
    /// - Throws: `VipsError.badArgument` where the operation has none of this name or of another type.
    package func set(_ name: String, _ value: VipsArgument) throws(VipsError) {
        guard let type = argumentType(name) else {
            throw VipsError(operation: nickname, reason: .badArgument(name), log: "no argument \(name)")
        }
        var gvalue = GValue()
        guard value.fill(&gvalue, for: type) else {
            throw VipsError(
                operation: nickname, reason: .badArgument(name), log: "\(name) does not take \(value)")
        }
        defer { unsafe g_value_unset(&gvalue) }
        unsafe g_object_set_property(
            UnsafeMutableRawPointer(operation).assumingMemoryBound(to: GObject.self), name, &gvalue)
    }

    /// Sets arguments in the order of their names, so that the same one of several wrong ones is reported.
    func set(_ arguments: [String: VipsArgument]) throws(VipsError) {
        for (name, value) in arguments.sorted(by: { $0.key < $1.key }) { try set(name, value) }
    }

    /// Runs the operation; its outputs can be read afterwards.
    package func run() throws(VipsError) {
        // Untrusted loaders are blocked here unless they were allowed, whatever the setting of the process.
        let isUntrusted =
            unsafe vips_operation_get_flags(operation).rawValue & VIPS_OPERATION_UNTRUSTED.rawValue != 0
        guard !isUntrusted || VipsLibrary.allowsUntrustedLoaders else {
            throw VipsError(operation: nickname, reason: .failed, log: "operation is blocked")
        }
        // Bypasses libvips' operation cache, which identifies files by names that are reused.
        guard unsafe vips_object_build(object) == 0 else {
            throw VipsError(operation: nickname, reason: .failed, log: VipsLibrary.takeLog())
        }
    }

    /// Runs the operation and returns an output image.
    package func image(_ name: String = "out") throws(VipsError) -> VipsImage {
        try run()
        return try output(name) { gvalue in
            guard let object = unsafe g_value_dup_object(&gvalue) else { return nil }
            return unsafe VipsImage(owning: object.assumingMemoryBound(to: CVips.VipsImage.self))
        }
    }

    /// Runs the operation and returns output bytes.
    package func bytes(_ name: String = "buffer") throws(VipsError) -> [UInt8] {
        try run()
        return try output(name) { gvalue in
            var count = 0
            let address = unsafe vips_value_get_blob(&gvalue, &count)
            return unsafe address.map { unsafe Array(UnsafeRawBufferPointer(start: $0, count: count)) }
        }
    }

    private func output<T>(_ name: String, _ take: (inout GValue) -> T?) throws(VipsError) -> T {
        guard let type = argumentType(name) else {
            throw VipsError(operation: nickname, reason: .badArgument(name), log: "no output \(name)")
        }
        var gvalue = GValue()
        unsafe g_value_init(&gvalue, type)
        defer { unsafe g_value_unset(&gvalue) }
        unsafe g_object_get_property(
            UnsafeMutableRawPointer(operation).assumingMemoryBound(to: GObject.self), name, &gvalue)
        guard let value = take(&gvalue) else {
            throw VipsError(operation: nickname, reason: .failed, log: "\(name) is empty")
        }
        return value
    }
}

/// A value for an argument of an operation.
package enum VipsArgument: Sendable {
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)
    /// A value of an enumeration by its nickname, as on libvips' command line: "sequential", "lanczos3".
    case name(String)
    case image(VipsImage)
    case doubles([Double])
    case images([VipsImage])
    /// Bytes that are copied: a file in memory.
    case blob([UInt8])
    /// A file that libvips reads in pieces.
    case source(VipsSource)
}

extension VipsArgument {
    /// Stores the value in an empty GValue of the argument's type; returns false where it does not fit.
    func fill(_ gvalue: inout GValue, for type: GType) -> Bool {
        unsafe g_value_init(&gvalue, type)
        switch self {
        case .bool(let value):
            guard type == cvips_type_boolean() else { return false }
            unsafe g_value_set_boolean(&gvalue, value ? 1 : 0)
        case .int(let value):
            guard type == cvips_type_int(), let value = Int32(exactly: value) else { return false }
            unsafe g_value_set_int(&gvalue, value)
        case .double(let value):
            guard type == cvips_type_double() else { return false }
            unsafe g_value_set_double(&gvalue, value)
        case .string(let value):
            guard type == cvips_type_string() else { return false }
            // File names may have bytes that are not UTF-8.
            unsafe PathText.withCString(value) { unsafe g_value_set_string(&gvalue, $0) }
        case .name(let nick):
            return fill(&gvalue, named: nick, type)
        case .image(let image):
            guard type == vips_image_get_type() else { return false }
            unsafe g_value_set_object(&gvalue, image.pointer)
        case .doubles(let values):
            guard type == vips_array_double_get_type() else { return false }
            unsafe vips_value_set_array_double(&gvalue, values, Int32(values.count))
        case .images(let images):
            guard type == vips_array_image_get_type() else { return false }
            return fill(&gvalue, images: images)
        case .source(let source):
            guard type == vips_source_get_type() else { return false }
            unsafe g_value_set_object(&gvalue, source.pointer)
        case .blob(let bytes):
            guard type == vips_blob_get_type() else { return false }
            // libvips copies the bytes, so they need not outlive this call.
            unsafe bytes.withUnsafeBytes { buffer in
                let blob = unsafe vips_blob_copy(buffer.baseAddress, buffer.count)
                unsafe g_value_set_boxed(&gvalue, blob)
                unsafe vips_area_unref(
                    UnsafeMutableRawPointer(blob)?.assumingMemoryBound(to: VipsArea.self))
            }
        }
        return true
    }

    private func fill(_ gvalue: inout GValue, named nick: String, _ type: GType) -> Bool {
        let number = unsafe vips_enum_from_nick("viewport", type, nick)
        guard number >= 0 else {
            _ = VipsLibrary.takeLog()
            return false
        }
        if cvips_type_is_flags(type) != 0 {
            unsafe g_value_set_flags(&gvalue, guint(number))
        } else if cvips_type_is_enum(type) != 0 {
            unsafe g_value_set_enum(&gvalue, number)
        } else {
            return false
        }
        return true
    }

    private func fill(_ gvalue: inout GValue, images: [VipsImage]) -> Bool {
        unsafe vips_value_set_array_image(&gvalue, Int32(images.count))
        guard let slots = unsafe vips_value_get_array_image(&gvalue, nil) else { return images.isEmpty }
        for (index, image) in images.enumerated() {
            // The array owns one reference to each image.
            unsafe slots[index] = unsafe g_object_ref(image.pointer)
                .assumingMemoryBound(to: CVips.VipsImage.self)
        }
        return true
    }
}
