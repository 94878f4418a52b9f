internal import Platform

extension [UInt8] {
    /// Creates the bytes of a picture, all zero.
    package init(zeros count: Int) {
        // All bytes are initialized.
        unsafe self.init(unsafeUninitializedCapacity: count) { memory, initialized in
            unsafe LargePages.request(for: UnsafeMutableRawBufferPointer(memory))
            unsafe memory.initialize(repeating: 0)
            initialized = count
        }
    }

    /// Creates an empty array with room for the bytes of a picture.
    package init(room count: Int) {
        // None of the bytes is said to be initialized.
        unsafe self.init(unsafeUninitializedCapacity: count) { memory, _ in
            unsafe LargePages.request(for: UnsafeMutableRawBufferPointer(memory))
        }
    }
}

/// Pages of 2 MB, which Linux makes where a program asks for them.
///
/// The first write to each page of 4 KB takes longer than copying the pixels that fit into it.
private enum LargePages {
    private static let fewestBytes = 2 << 20

    @unsafe static func request(for memory: UnsafeMutableRawBufferPointer) {
        #if os(Linux)
        guard memory.count >= fewestBytes, let first = memory.baseAddress else { return }
        let page = Int(getpagesize())
        let gap = (page - Int(bitPattern: first) % page) % page
        // It stays within the memory; where the system has no large pages, nothing changes.
        _ = unsafe madvise(first + gap, (memory.count - gap) / page * page, MADV_HUGEPAGE)
        #endif
    }
}
