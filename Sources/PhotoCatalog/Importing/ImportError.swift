/// Why nothing can be imported.
public enum ImportError: Error, Equatable, Sendable {
    case layout(String, reason: String)
    /// A source cannot be read; the system's words.
    case noSource(String, reason: String)
    /// A source is in the library already, or the library in it.
    case inside(String, root: String)
    /// Another process imports into this library.
    case importing(root: String)
    /// The disk is full, or the library's folders may not be written to; the system's words.
    case unwritable(String, reason: String)
    /// Bytes that are needed and those that are free.
    case noRoom(root: String, needed: Int, free: Int)
    case library(LibraryError)
}

extension ImportError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .layout(let template, let reason): "the layout \"\(template)\" cannot be used: \(reason)"
        case .noSource(let path, let reason): "\(path): \(reason)"
        case .inside(let path, let root):
            "\(path): cannot be imported into the library \(root), one lies in the other; index it instead"
        case .importing(let root):
            "\(root): another program is importing into this library; try again when it is done"
        case .unwritable(let path, let reason):
            "\(path): cannot be written (\(reason)); make room or check who may write there"
        case .noRoom(let root, let needed, let free):
            "\(root): \(needed) bytes are to be copied and \(free) are free; make room or import less"
        case .library(let error): error.description
        }
    }
}
