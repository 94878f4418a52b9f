#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

/// A path in UTF-8 of a file whose own is none, for libraries and programs that take no other.
///
/// It leads through a descriptor of the file's folder, which is open as long as the value lives.
package final class PlainPath: Sendable {
    package let path: String
    private let descriptor: Int32?

    /// The path itself where it is UTF-8, or where the system has no other.
    package init(_ path: String) {
        #if canImport(Darwin)
            (self.path, descriptor) = (path, nil)
        #else
            let name = OutputFile.name(of: path)
            guard PathText.shown(path) != path else {
                (self.path, descriptor) = (path, nil)
                return
            }
            // A file whose own name is no UTF-8 is held itself; one that is yet to be made has a plain name.
            let isNamePlain = PathText.shown(name) == name
            let descriptor = unsafe open(
                isNamePlain ? OutputFile.folder(of: path) : path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                (self.path, self.descriptor) = (path, nil)
                return
            }
            let link = "/proc/\(getpid())/fd/\(descriptor)"
            (self.path, self.descriptor) = (isNamePlain ? "\(link)/\(name)" : link, descriptor)
        #endif
    }

    deinit { if let descriptor { close(descriptor) } }
}
