internal import Basics
internal import Dispatch
package import Files
internal import Synchronization

/// A file behind a URL, of which only the ranges are requested that somebody reads.
///
/// All bytes are of the same version of the file, identified by its ETag, the time of its last modification and its
/// size, whichever answers state: once the server has another one, every read throws `FileError.changed`.
package final class RemoteFile: TransferableBytes {
    package let address: RemoteAddress
    let options: RemoteOptions
    private let loop: TransferLoop
    private let state: Mutex<RemoteState>

    /// Begins to open a file: requests its first bytes, and returns at once.
    ///
    /// - Throws: `FileError` where libcurl is missing, or there is no room for a temporary file.
    package init(_ address: RemoteAddress, _ options: RemoteOptions, head: Int = firstByteCount)
        throws(FileError)
    {
        self.address = address
        self.options = options
        loop = try TransferLoop.shared()
        let disk = options.storesOnDisk ? try SparseFile() : nil
        let store = ByteStore(capacity: max(1 << 20, options.storeByteCount), keepsBytes: disk == nil)
        state = Mutex(
            RemoteState(store: store, disk: disk, mostRanges: HostAbilities.mostRanges(of: address.url)))
        state.withLock { _ = begin([0..<head], &$0, isFirst: true) }
    }

    /// The bytes of the first request, which hold the headers of many images.
    package static let firstByteCount = 1 << 14

    /// Waits until the server has answered.
    ///
    /// - Throws: `FileError` where there is no such file, or it cannot be read or is empty.
    package func open() throws(FileError) {
        let count = try wait { $0.count }
        if count == 0 { throw .empty }
    }

    /// The size in bytes; 0 until `open` has returned.
    package var count: Int { knownCount ?? 0 }
    var knownCount: Int? { state.withLock { $0.count } }

    package var isRemote: Bool { true }

    /// Whether it was read without an error so far, or is known to be missing.
    var isUsable: Bool { [nil, .missing].contains(state.withLock { $0.failure }) }

    /// The sidecar that the server names in a header such as `Link: <big.jpg.vpi>; rel="viewport-index"`.
    package var link: RemoteAddress? { state.withLock { $0.link }.flatMap(address.linked) }

    /// Whether the server states which version of the file it sends.
    package var hasVersion: Bool { state.withLock { $0.version?.etag ?? $0.version?.modified } != nil }

    /// What identifies the version, for caches: tag and time of the last modification, as the server states them.
    package var version: (etag: String?, modified: String?) {
        state.withLock { ($0.version?.etag, $0.version?.modified) }
    }

    /// The requests so far.
    package var traffic: RemoteTraffic { state.withLock { $0.traffic } }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws(FileError) {
        let size = count
        guard position >= 0, buffer.count <= size - position else { throw .changed }
        var done = 0
        while done < buffer.count {
            // Copied as it arrives: what was there first may be dropped before the last has come.
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let (copied, disk, drops) = try wait { state in
                // The rest of the caller's buffer, which outlives the call.
                let copied = unsafe state.store.copy(from: position + done, into: rest)
                let (start, end) = (position + done + copied, position + buffer.count)
                // What is announced or requested already comes without anything more.
                let isNeeded = !state.missing(in: [start..<end]).isEmpty
                let ahead = min(
                    state.readers.ahead(of: position..<end, isMiss: isNeeded), options.storeByteCount / 4)
                let last = end + max(ahead, isNeeded ? Self.leastFetch - (end - start) : 0)
                // More would be dropped before it is read.
                let most = start + options.storeByteCount / 2
                fetch(start..<min(size, last, most), isNeeded: isNeeded, &state)
                return copied > 0 ? (copied, state.disk, state.store.drops) : nil
            }
            if let disk {
                try unsafe disk.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: rest[..<copied]), at: position + done)
                // What was dropped meanwhile was read as zeros.
                guard state.withLock({ $0.disk === disk && $0.store.drops == drops }) else { continue }
            }
            done += copied
        }
    }

    /// The fewest bytes of a request: more cost hardly more time.
    private static let leastFetch = 1 << 14

    /// Requests ranges together that will be read, and returns at once.
    package func willRead(_ ranges: [Range<Int>]) {
        state.withLock { state in
            guard let size = state.count, state.failure == nil, !state.isWhole else { return }
            var room = options.storeByteCount / 2
            let wanted = ranges.map { range in
                let wanted = range.clamped(to: 0..<size).prefix(room)
                room -= wanted.count
                return wanted.startIndex..<wanted.endIndex
            }
            var missing = state.missing(in: wanted)
            // What is announced together is all that is needed: nothing is read ahead of it.
            if wanted.count > 1 { state.readers.end(in: wanted) }
            // Scans announce one piece after the other.
            if let piece = wanted.first, wanted.count == 1, piece.count >= 1 << 16 {
                let ahead = state.readers.ahead(of: piece, isMiss: !missing.isEmpty)
                let end = min(size, piece.upperBound + min(ahead, options.storeByteCount / 4))
                if !missing.isEmpty { missing = state.missing(in: [piece.lowerBound..<end]) }
            }
            for group in RangePlan.groups(missing, mostRanges: state.mostRanges) {
                begin(group, &state)
            }
        }
    }

    /// Requests the whole file in one answer, and waits until it is there.
    package func localCopy(
        _ progress: @escaping @Sendable (Double) -> Void
    ) throws(FileError) -> SparseFile? {
        let (isWhole, old) = state.withLock { ($0.isWhole, $0.disk) }
        // A file that came as a whole is in memory where it is small.
        if isWhole, old == nil { return nil }
        let new = isWhole ? old : try SparseFile()
        let disk = state.withLock { state in
            guard !state.isCopy else { return state.disk }
            state.isCopy = true
            guard !isWhole, let count = state.count, state.failure == nil else { return state.disk }
            (state.store, state.disk) = (ByteStore(capacity: .max, keepsBytes: false), new)
            _ = begin([0..<count], &state)
            return new
        }
        while true {
            let missing = try wait { state -> Int? in
                let missing = state.store.missing(in: 0..<(state.count ?? 0)).reduce(0) { $0 + $1.count }
                guard state.reported != missing else { return nil }
                state.reported = missing
                return missing
            }
            progress(1 - Double(missing) / Double(max(1, count)))
            if missing == 0 { return disk }
        }
    }

    /// Throws where the file has changed.
    ///
    /// A file that had just been written may be written again within the same second, and servers keep what they know of
    /// a file for about as long: they are asked once more, after a while.
    package func check() throws(FileError) {
        let number = state.withLock { state -> Int? in
            if let running = state.confirmation { return running }
            guard state.isUnconfirmed, !state.isWhole, state.failure == nil, let age = state.version?.age,
                ProcessEnvironment.now - state.opened < Self.longestDoubt
            else { return nil }
            let settled = state.opened + (FileVersion.leastAge - age) * 1_000_000_000
            let start = max(settled, state.received + 1_000_000_000)
            let delay = Double(start - ProcessEnvironment.now) / 1e9
            state.isUnconfirmed = false
            state.confirmation = begin([0..<1], &state, after: max(0, delay))
            return state.confirmation
        }
        guard let number else { return }
        try wait { $0.pending[number] == nil ? () : nil }
        state.withLock { if $0.confirmation == number { $0.confirmation = nil } }
    }

    /// How long a file that had just been written is in doubt, in nanoseconds.
    private static let longestDoubt = 10_000_000_000

    /// Returns a report for users.
    package var report: RemoteReport {
        state.withLock {
            RemoteReport(
                requests: $0.traffic.requests, bytes: $0.traffic.bytes, hasRanges: !$0.isWhole,
                size: $0.count ?? 0)
        }
    }
}

// MARK: - Requests

extension RemoteFile {
    /// Requests what is missing of a range.
    ///
    /// - Parameter isNeeded: Whether somebody waits for it; otherwise it must be worth a request.
    private func fetch(_ range: Range<Int>, isNeeded: Bool, _ state: inout RemoteState) {
        guard !range.isEmpty, !state.isWhole, state.failure == nil else { return }
        let missing = state.missing(in: [range]).joined(gap: Self.leastFetch)
        let total = missing.reduce(0) { $0 + $1.count }
        guard total > 0, isNeeded || total >= range.count / 2 else { return }
        for part in missing.flatMap({ RangePlan.split($0) }) { begin([part], &state) }
    }

    @discardableResult
    private func begin(
        _ ranges: [Range<Int>], _ state: inout RemoteState, isFirst: Bool = false, after delay: Double = 0
    ) -> Int {
        state.fetches += 1
        let fetch = RangeFetch(self, number: state.fetches, ranges, isFirst: isFirst)
        state.pending[fetch.number] = ranges
        begin(fetch, &state, after: delay)
        return fetch.number
    }

    private func begin(_ fetch: RangeFetch, _ state: inout RemoteState, after delay: Double) {
        state.traffic.requests += 1
        loop.begin(
            TransferRequest(
                address: address, location: state.location,
                range: state.isWhole ? nil : fetch.range,
                condition: state.version?.condition, timeout: options.timeout,
                allowsPrivateAddresses: options.allowsPrivateAddresses),
            fetch, after: delay)
    }

    /// Waits until a look at the state has a result.
    private func wait<R: Sendable>(_ look: (inout RemoteState) -> R?) throws(FileError) -> R {
        while true {
            let semaphore = DispatchSemaphore(value: 0)
            let found = try state.withLock { state throws(FileError) -> R? in
                if let failure = state.failure { throw failure }
                let found = look(&state)
                if found == nil { state.waiters.append(semaphore) }
                return found
            }
            if let found { return found }
            guard semaphore.waitUnlessCancelled() else {
                state.withLock { $0.waiters.removeAll { $0 === semaphore } }
                throw .cancelled
            }
        }
    }
}

// MARK: - Answers, on the thread of the transfers

extension RemoteFile {
    private func change(_ body: (inout RemoteState) -> Void) {
        let waiters = state.withLock { state in
            body(&state)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.signal() }
    }

    /// Whether a status of 200 means that there are no ranges.
    func sendsWhole(isFirst: Bool, _ head: ResponseHead) -> Bool { state.withLock { isFirst || $0.isWhole } }

    /// Remembers that the server sends fewer ranges together, for all files of its host.
    func limitRanges(to count: Int) {
        let url = state.withLock { state in
            state.mostRanges = min(state.mostRanges, count)
            return state.location ?? address.url
        }
        for url in [url, address.url] { HostAbilities.limit(url, to: count) }
    }

    /// Whether a request is the one that brings all of a file whose ranges are not sent any more.
    func takesWhole(_ fetch: RangeFetch) -> Bool {
        state.withLock { state in
            if let number = state.whole, number != fetch.number, state.pending[number] != nil { return false }
            state.whole = fetch.number
            state.pending[fetch.number] = [0..<(state.count ?? 0)]
            return true
        }
    }

    func count(received bytes: Int) { state.withLock { $0.traffic.bytes += bytes } }

    /// Remembers size and version of the first answer, and compares those of the others.
    func open(_ head: ResponseHead, total: Int?, isWhole: Bool) throws(FileError) {
        guard state.withLock({ $0.version == nil }) else { return try check(head, total: total) }
        if isWhole, total ?? 0 > options.copyByteCount {
            throw .unreadable(
                "the server sends no ranges, and it has more than the \(options.copyByteCount >> 20) MB that may be copied"
            )
        }
        let disk = isWhole && total ?? .max > options.storeByteCount ? try SparseFile() : nil
        change { state in
            state.version = FileVersion(head, size: total)
            state.opened = ProcessEnvironment.now
            state.location = head.location
            state.link = head.fields["link"]
            if HostAbilities.sendsOneRange(head) { state.mostRanges = 1 }
            state.isWhole = isWhole
            if let disk { (state.store, state.disk) = (ByteStore(capacity: .max, keepsBytes: false), disk) }
            state.count = total
            if let total { state.pending = state.pending.mapValues { $0.map { $0.clamped(to: 0..<total) } } }
        }
    }

    /// Throws where an answer is of another version of the file.
    func check(_ head: ResponseHead, total: Int?) throws(FileError) {
        let isSame = state.withLock { state in
            if let total, let count = state.count, total != count { return false }
            guard state.version?.allows(head) != false else { return false }
            state.version?.complete(by: head)
            return true
        }
        guard isSame else { throw .changed }
    }

    /// Keeps bytes that have arrived.
    func store(_ bytes: [UInt8], at start: Int, from fetch: RangeFetch) throws(FileError) {
        // Only this thread adds and drops bytes; those that read see the bytes of a range once it is in the store.
        let (disk, missing) = state.withLock {
            ($0.disk, $0.store.missing(in: start..<(start + bytes.count)))
        }
        if let disk {
            for range in missing {
                try disk.write(
                    Array(bytes[(range.lowerBound - start)..<(range.upperBound - start)]),
                    at: range.lowerBound)
            }
        }
        var dropped: [Range<Int>] = []
        change { state in
            // Bytes in a file that a copy has replaced meanwhile are requested again.
            guard state.disk === disk else { return }
            dropped = state.store.insert(bytes, at: start)
            state.pending[fetch.number] = fetch.ranges
            state.received = ProcessEnvironment.now
            state.isUnconfirmed = state.isUnconfirmed || state.confirmation != fetch.number
        }
        for range in dropped { disk?.drop(range) }
    }

    func finish(_ fetch: RangeFetch) { change { $0.pending[fetch.number] = nil } }

    /// Ends the transfer of a whole file.
    func finishWhole(_ received: Int, _ fetch: RangeFetch) {
        change { state in
            state.pending[fetch.number] = nil
            if let count = state.count, received < count {
                state.failure = .unreadable("the server sends fewer bytes than it declares")
            }
            state.count = received
        }
    }

    func fail(_ error: FileError) {
        change { state in
            state.failure = state.failure ?? error
            state.pending = [:]
        }
    }

    /// Sends a request again for what has not arrived.
    func repeatFetch(_ fetch: RangeFetch, after delay: Double) {
        state.withLock { begin(fetch, &$0, after: delay) }
    }

    /// Requests what a server has left out of an answer, in as many requests as it needs, at the same time.
    func fetchAgain(_ fetch: RangeFetch) {
        change { state in
            state.pending[fetch.number] = nil
            for group in RangePlan.groups(state.missing(in: fetch.ranges), mostRanges: state.mostRanges) {
                begin(group, &state)
            }
        }
    }

    /// Goes back to the original URL; returns false where there was no redirect.
    func forgetLocation() -> Bool {
        state.withLock { state in
            defer { state.location = nil }
            return state.location != nil
        }
    }
}
