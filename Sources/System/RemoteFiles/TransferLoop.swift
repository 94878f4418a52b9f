internal import CCurl
internal import Dispatch
internal import Files
internal import Synchronization

/// The thread that runs all transfers of the process.
///
/// Connections stay open for the next requests; a host gets at most six of them at a time.
@safe final class TransferLoop: Sendable {
    private let library: CurlLibrary
    // Used by the thread alone, except for the wakeup, which libcurl allows from all threads.
    nonisolated(unsafe) private let multi: CurlLibrary.Multi
    private let waiting = Mutex<[Waiting]>([])

    private struct Waiting: Sendable {
        var request: TransferRequest
        var receiver: any TransferReceiver
        /// The earliest time to begin, in nanoseconds since 1970.
        var start: Int
    }

    private static let loop = TransferLoop()

    /// The loop of the process, started by the first call.
    ///
    /// - Throws: `FileError` where libcurl is not installed.
    static func shared() throws(FileError) -> TransferLoop {
        guard let loop else {
            throw .unreadable("libcurl, which reads URLs, is missing: \(CurlLibrary.installation)")
        }
        return loop
    }

    private init?() {
        guard let library = CurlLibrary.shared, let multi = unsafe library.newMulti() else { return nil }
        self.library = library
        unsafe self.multi = multi
        unsafe ccurl_multi_set_long(library.setMultiOption, multi, CURLMOPT_MAX_HOST_CONNECTIONS, 6)
        // The queue's thread never ends.
        DispatchQueue(label: "viewport.transfers").async { self.run() }
    }

    /// Begins a transfer, after a delay in seconds.
    func begin(_ request: TransferRequest, _ receiver: any TransferReceiver, after delay: Double = 0) {
        let start = delay > 0 ? ProcessEnvironment.now + Int(delay * 1e9) : 0
        waiting.withLock { $0.append(Waiting(request: request, receiver: receiver, start: start)) }
        _ = unsafe library.wakeup(multi)
    }

    private func run() {
        var running: [UInt: Transfer] = [:]
        while true {
            var pause = 60_000
            for next in takeReady(&pause) {
                let transfer = Transfer(next.request, next.receiver, library)
                guard let handle = unsafe transfer.handle, unsafe library.add(multi, handle) == CURLM_OK
                else {
                    next.receiver.end(.failed("the process has no memory for a transfer"), ResponseHead())
                    continue
                }
                running[UInt(bitPattern: handle)] = transfer
            }
            var count: Int32 = 0
            _ = unsafe library.perform(multi, &count)
            while let message = unsafe library.nextMessage(multi, &count) {
                // The message is copied before the handle is removed.
                let (handle, code) = unsafe (message.pointee.easy_handle, message.pointee.data.result)
                guard unsafe message.pointee.msg == CURLMSG_DONE, let handle = unsafe handle else { continue }
                _ = unsafe library.remove(multi, handle)
                running.removeValue(forKey: UInt(bitPattern: handle))?.end(code)
            }
            _ = unsafe library.poll(multi, nil, 0, Int32(pause), nil)
        }
    }

    /// Takes the transfers that may begin, and limits the pause to the time until the next one may.
    private func takeReady(_ pause: inout Int) -> [Waiting] {
        waiting.withLock { waiting in
            guard !waiting.isEmpty else { return [] }
            let now = ProcessEnvironment.now
            let ready = waiting.filter { $0.start <= now }
            waiting.removeAll { $0.start <= now }
            for next in waiting { pause = min(pause, (next.start - now) / 1_000_000 + 1) }
            return ready
        }
    }
}
