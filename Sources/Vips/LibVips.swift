#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

/// The shared library libvips, loaded when the first of its functions is called.
///
/// It brings a hundred libraries with it, and linking those takes most of the time that a small job takes; much
/// that is done with JPEGs needs none of them. Where programs link libvips themselves, this finds it there.
enum LibVips {
    /// Its name where it is loaded late; elsewhere programs link it.
    #if os(Linux)
        private static let name: String? = "libvips.so.42"
    #else
        private static let name: String? = nil
    #endif

    /// Why it cannot be loaded; nil where it is loaded.
    static let problem: String? = {
        guard unsafe library.address == nil else { return nil }
        return unsafe dlerror().map { unsafe String(cString: $0) } ?? "libvips is not installed"
    }()

    private static let library = Library()

    // Never closed, and dlsym may be called from all threads.
    @safe private struct Library: @unchecked Sendable {
        // libvips' modules refer to it by name, so its own names need not be seen by others.
        let address = unsafe dlopen(LibVips.name, RTLD_LAZY)
    }

    /// A function by its name, of the type that the caller knows from the header.
    ///
    /// - Precondition: there is no `problem`.
    @unsafe static func function<Function>(_ name: String) -> Function {
        guard let address = unsafe dlsym(library.address, name) else {
            fatalError("the installed libvips has no \(name): it is older than the one this was built with")
        }
        // The list of functions gives each the type that the header declares.
        return unsafe unsafeBitCast(address, to: Function.self)
    }
}
