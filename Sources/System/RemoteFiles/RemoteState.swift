internal import Dispatch
internal import Files

/// What is known of a remote file, and what its requests bring.
struct RemoteState {
    /// The size; nil until the server has answered, or has sent all of a file whose size it did not state.
    var count: Int?
    var version: FileVersion?
    /// When the first answer came, and the last bytes, in nanoseconds since 1970.
    var opened = 0
    var received = 0
    /// Whether bytes have come since the server was last asked for nothing but the version.
    var isUnconfirmed = false
    /// The request that asks for it.
    var confirmation: Int?
    /// The URL that redirects have led to.
    var location: String?
    var store: ByteStore
    /// Holds the bytes instead of memory.
    var disk: SparseFile?
    /// What running requests will bring.
    var pending: [Int: [Range<Int>]] = [:]
    var failure: FileError?
    var waiters: [DispatchSemaphore] = []
    var readers = ForwardReaders()
    var link: String?
    /// The most ranges that the server sends together.
    var mostRanges: Int
    /// Whether the server sends the file as a whole only.
    var isWhole = false
    /// The request that brings all of it, although the server sent ranges before.
    var whole: Int?
    /// Whether all of it is requested, to be stored on disk, and how much was missing when that was last told.
    var isCopy = false
    var reported: Int?
    var traffic = RemoteTraffic()
    var fetches = 0

    /// The parts of ranges that are neither there nor requested.
    func missing(in ranges: [Range<Int>]) -> [Range<Int>] {
        var missing = ranges.flatMap { store.missing(in: $0) }
        for pending in pending.values.joined() { missing = missing.subtracting(pending) }
        return missing
    }
}
