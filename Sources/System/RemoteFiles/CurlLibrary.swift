internal import CCurl
internal import Platform

/// The functions of the shared library libcurl, which is loaded when the first URL is opened.
///
/// Programs that read local files only never load it.
@safe struct CurlLibrary: Sendable {
    typealias Easy = UnsafeMutableRawPointer
    typealias Multi = UnsafeMutableRawPointer

    let newEasy: @convention(c) @Sendable () -> Easy?
    let freeEasy: @convention(c) @Sendable (Easy?) -> Void
    let newMulti: @convention(c) @Sendable () -> Multi?
    let add: @convention(c) @Sendable (Multi?, Easy?) -> CURLMcode
    let remove: @convention(c) @Sendable (Multi?, Easy?) -> CURLMcode
    let perform: @convention(c) @Sendable (Multi?, UnsafeMutablePointer<Int32>?) -> CURLMcode
    let poll:
        @convention(c) @Sendable (
            Multi?, UnsafeMutableRawPointer?, UInt32, Int32, UnsafeMutablePointer<Int32>?
        ) -> CURLMcode
    let wakeup: @convention(c) @Sendable (Multi?) -> CURLMcode
    let nextMessage:
        @convention(c) @Sendable (Multi?, UnsafeMutablePointer<Int32>?) -> UnsafeMutablePointer<CURLMsg>?
    let appendHeader:
        @convention(c) @Sendable (UnsafeMutablePointer<curl_slist>?, UnsafePointer<CChar>?)
            -> UnsafeMutablePointer<curl_slist>?
    let freeHeaders: @convention(c) @Sendable (UnsafeMutablePointer<curl_slist>?) -> Void
    // Addresses of functions with variable arguments, which C functions of the shim call. They stay valid, as the
    // library is never unloaded.
    nonisolated(unsafe) let setOption: UnsafeMutableRawPointer
    nonisolated(unsafe) let getInfo: UnsafeMutableRawPointer
    nonisolated(unsafe) let setMultiOption: UnsafeMutableRawPointer

    /// The library; nil where it is not installed.
    static let shared = CurlLibrary()

    #if canImport(Darwin)
    private static let names = ["/usr/lib/libcurl.4.dylib"]
    /// How to install it.
    static let installation = "it is part of macOS"
    #else
    private static let names = ["libcurl.so.4", "libcurl-gnutls.so.4"]
    /// How to install it.
    static let installation = "install it with `apt install libcurl4` or `dnf install libcurl`"
    #endif

    private init?() {
        let libraries = unsafe Self.names.lazy.compactMap { unsafe dlopen($0, RTLD_NOW) }
        guard let library = unsafe libraries.first,
            let start: @convention(c) (Int) -> CURLcode = unsafe Self.function(
                "curl_global_init", of: library),
            start(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK,
            let newEasy: @convention(c) @Sendable () -> Easy? = unsafe Self.function(
                "curl_easy_init", of: library),
            let freeEasy: @convention(c) @Sendable (Easy?) -> Void = unsafe Self.function(
                "curl_easy_cleanup", of: library),
            let newMulti: @convention(c) @Sendable () -> Multi? = unsafe Self.function(
                "curl_multi_init", of: library),
            let add: @convention(c) @Sendable (Multi?, Easy?) -> CURLMcode = unsafe Self.function(
                "curl_multi_add_handle", of: library),
            let remove: @convention(c) @Sendable (Multi?, Easy?) -> CURLMcode = unsafe Self.function(
                "curl_multi_remove_handle", of: library),
            let perform: @convention(c) @Sendable (Multi?, UnsafeMutablePointer<Int32>?) -> CURLMcode =
                unsafe Self.function("curl_multi_perform", of: library),
            let poll:
                @convention(c) @Sendable (
                    Multi?, UnsafeMutableRawPointer?, UInt32, Int32, UnsafeMutablePointer<Int32>?
                ) -> CURLMcode = unsafe Self.function("curl_multi_poll", of: library),
            let wakeup: @convention(c) @Sendable (Multi?) -> CURLMcode = unsafe Self.function(
                "curl_multi_wakeup", of: library),
            let nextMessage:
                @convention(c) @Sendable (Multi?, UnsafeMutablePointer<Int32>?)
                    -> UnsafeMutablePointer<CURLMsg>? =
                unsafe Self.function("curl_multi_info_read", of: library),
            let appendHeader:
                @convention(c) @Sendable (UnsafeMutablePointer<curl_slist>?, UnsafePointer<CChar>?)
                    -> UnsafeMutablePointer<curl_slist>? =
                unsafe Self.function("curl_slist_append", of: library),
            let freeHeaders: @convention(c) @Sendable (UnsafeMutablePointer<curl_slist>?) -> Void =
                unsafe Self.function("curl_slist_free_all", of: library),
            let setOption = unsafe dlsym(library, "curl_easy_setopt"),
            let getInfo = unsafe dlsym(library, "curl_easy_getinfo"),
            let setMultiOption = unsafe dlsym(library, "curl_multi_setopt")
        else { return nil }
        (unsafe self.newEasy, unsafe self.freeEasy, unsafe self.newMulti) = unsafe (
            newEasy, freeEasy, newMulti
        )
        (unsafe self.add, unsafe self.remove, unsafe self.perform) = unsafe (add, remove, perform)
        (unsafe self.poll, unsafe self.wakeup) = unsafe (poll, wakeup)
        (unsafe self.nextMessage, unsafe self.appendHeader) = unsafe (nextMessage, appendHeader)
        (unsafe self.freeHeaders, unsafe self.setOption) = unsafe (freeHeaders, setOption)
        (unsafe self.getInfo, unsafe self.setMultiOption) = unsafe (getInfo, setMultiOption)
    }

    @unsafe private static func function<Function>(
        _ name: String, of library: UnsafeMutableRawPointer
    ) -> Function? {
        // The type that callers name is that of the header.
        unsafe dlsym(library, name).map { unsafe unsafeBitCast($0, to: Function.self) }
    }
}
