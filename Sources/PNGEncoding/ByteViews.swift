#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Lent memory to read: bounds are checked in debug builds, where the tests run, and nowhere else.
///
/// Whoever makes one promises that the memory outlives it.
// The pointer never leaves this type except through `address`, which is unsafe to use.
@safe struct Bytes: @unchecked Sendable {
    let base: UnsafeRawPointer
    let count: Int

    /// The whole of `buffer`, which must not be empty.
    // The caller promises the life of the memory.
    @unsafe init(_ buffer: UnsafeRawBufferPointer) {
        // Callers never pass empty memory: images have at least one pixel.
        unsafe base = buffer.baseAddress!
        count = buffer.count
    }

    // The caller promises `count` readable bytes at `base`.
    @unsafe private init(base: UnsafeRawPointer, count: Int) {
        // Kept under the caller's promise.
        unsafe self.base = base
        self.count = count
    }

    @inline(__always)
    subscript(_ index: Int) -> UInt8 {
        assert(index >= 0 && index < count)
        // Inside, by the assertion; callers compute indices from checked sizes.
        return unsafe base.load(fromByteOffset: index, as: UInt8.self)
    }

    /// An integer or vector in native byte order at any alignment.
    @inline(__always)
    func load<T: BitwiseCopyable>(_ offset: Int, as type: T.Type) -> T {
        assert(offset >= 0 && offset + MemoryLayout<T>.size <= count)
        // Inside, by the assertion; callers compute offsets from checked sizes.
        return unsafe base.loadUnaligned(fromByteOffset: offset, as: type)
    }

    /// The part from `offset` on.
    @inline(__always)
    func part(_ offset: Int, count length: Int) -> Bytes {
        assert(offset >= 0 && length >= 0 && offset + length <= count)
        // Inside, by the assertion.
        return unsafe Bytes(base: base + offset, count: length)
    }

    /// Appends a copy of all bytes.
    func append(to array: inout [UInt8]) {
        // The memory is alive for this call, as the maker promised.
        unsafe array.append(contentsOf: UnsafeRawBufferPointer(start: base, count: count))
    }

    /// The address for C functions that are given `count` too.
    // Whoever uses it leaves the checks behind.
    @unsafe var address: UnsafeRawPointer { unsafe base }
}

/// Owned memory to write: bounds are checked in debug builds only, as those of `Bytes`.
// The memory is owned, and freed once: the type cannot be copied.
@safe struct OutputBytes: ~Copyable, @unchecked Sendable {
    private let base: UnsafeMutableRawPointer
    let capacity: Int

    /// Room for `capacity` bytes that are not set yet.
    init(capacity: Int) {
        self.capacity = max(capacity, 1)
        // Freed in deinit.
        unsafe base = .allocate(byteCount: self.capacity, alignment: 64)
    }

    // Nobody else holds the memory: lent parts end with the calls they are lent to.
    deinit { unsafe base.deallocate() }

    /// A view of `count` bytes to write, which must not outlive `self`.
    func part(_ offset: Int, count: Int) -> MutableBytes {
        precondition(offset >= 0 && count >= 0 && offset + count <= capacity)
        // Inside, by the precondition.
        return unsafe MutableBytes(base: base + offset, count: count)
    }
}

/// Lent memory to write: bounds are checked in debug builds only, as those of `Bytes`.
// Two views that overlap are never written by two threads: rows are shared out in bands.
@safe struct MutableBytes: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let count: Int

    // The caller promises `count` writable bytes at `base`.
    @unsafe init(base: UnsafeMutableRawPointer, count: Int) {
        // Kept under the caller's promise.
        unsafe self.base = base
        self.count = count
    }

    @inline(__always)
    subscript(_ index: Int) -> UInt8 {
        get {
            assert(index >= 0 && index < count)
            // Inside, by the assertion.
            return unsafe base.load(fromByteOffset: index, as: UInt8.self)
        }
        nonmutating set {
            assert(index >= 0 && index < count)
            // Inside, by the assertion.
            unsafe base.storeBytes(of: newValue, toByteOffset: index, as: UInt8.self)
        }
    }

    /// Sets an integer or vector in native byte order at any alignment.
    @inline(__always)
    func store<T: BitwiseCopyable>(_ value: T, at offset: Int) {
        assert(offset >= 0 && offset + MemoryLayout<T>.size <= count)
        // Inside, by the assertion.
        unsafe base.storeBytes(of: value, toByteOffset: offset, as: T.self)
    }

    /// Sets the bytes from `offset` on to a copy of `source`.
    func copy(_ source: Bytes, at offset: Int) {
        assert(offset >= 0 && offset + source.count <= count)
        // Inside, by the assertion; source and target never overlap.
        unsafe memcpy(base + offset, source.address, source.count)
    }

    /// The part from `offset` on.
    @inline(__always)
    func part(_ offset: Int, count length: Int) -> MutableBytes {
        assert(offset >= 0 && length >= 0 && offset + length <= count)
        // Inside, by the assertion.
        return unsafe MutableBytes(base: base + offset, count: length)
    }

    /// The same memory to read.
    var readable: Bytes {
        // The same life and length.
        unsafe Bytes(UnsafeRawBufferPointer(start: base, count: count))
    }
}
