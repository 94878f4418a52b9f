private import Files

/// The address of a file as the freedesktop.org thumbnail cache knows it.
enum FileURI {
    /// "file:///home/jens/photos/me.png": an absolute path whose other bytes are written as percents.
    ///
    /// The same letters stay as they are that GLib's `g_filename_to_uri` leaves, so that desktops find the same name.
    static func of(_ path: String) -> String {
        "file://"
            + PathText.bytes(path).map { byte in
                let scalar = Unicode.Scalar(byte)
                guard plain.contains(scalar) else {
                    return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
                }
                return String(scalar)
            }.joined()
    }

    private static let plain = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.!~*'()/&=:@+$,".unicodeScalars)
}
