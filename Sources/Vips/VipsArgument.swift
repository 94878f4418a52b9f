internal import CVips
private import Files

/// A value for an argument of an operation.
package enum VipsArgument: Sendable {
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)
    /// An enumeration's value by its nickname, as on libvips' command line: "sequential", "lanczos3".
    case name(String)
    case image(VipsImage)
    case doubles([Double])
    case images([VipsImage])
    /// Bytes that are copied: a file in memory.
    case blob([UInt8])
}

extension VipsArgument {
    /// Puts the value into an empty GValue of the argument's type; false where it does not fit.
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
            // Names of files are as the system has them.
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
