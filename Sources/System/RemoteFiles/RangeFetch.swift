internal import Files

/// The request for some ranges of a remote file, and its repetitions.
///
/// RFC 9110 (sections 14.2 and 15.3.7) leaves much to servers: they may ignore ranges and send the whole file, join
/// ranges, or send only some of them in any order. Many also do what it does not permit. So bytes are used by the
/// positions that an answer states, and what is missing then is requested again.
///
/// - A server that refuses several ranges (400, 416, 501), sends one of them or all of a large file instead, or parts
///   that are not understood, is asked for single ranges from then on, for all files of its host.
/// - Each answer is compared with the version of the file before its bytes are used: many servers ignore conditions
///   such as `If-Match`.
/// - What may be transient is repeated, after pauses that double. Attempts are counted since the last progress.
///
/// At first, answers had to begin where a requested range did. Parts that were not understood were errors, and so was
/// every `Content-Encoding` but `identity`. Because of that, files of some servers could not be read.
// Only the thread of the transfers uses it after it was begun.
final class RangeFetch: TransferReceiver, @unchecked Sendable {
    private weak var file: RemoteFile?
    let number: Int
    /// What has not arrived.
    private(set) var ranges: [Range<Int>]
    /// Whether the size of the file is not known: the answer gives it.
    private let isFirst: Bool
    private var mode: Mode?
    private var refusal: Refusal?
    /// The requests since the last progress.
    private var attempts = 0
    private var hasProgress = false
    /// How far the whole file came: a repetition begins anew, and what it brings again is no progress.
    private var furthest = 0
    /// Bytes that have arrived one behind the other, and their position.
    private var piece: [UInt8] = []
    private var pieceStart = 0

    /// How the first bytes are requested: some servers refuse a range that goes beyond the end of the file.
    private enum Form {
        case ranges, openEnd, whole
    }

    private var form = Form.ranges

    /// The value of the header `Range`; nil for the whole file.
    var range: String? {
        switch form {
        case .ranges:
            "bytes="
                + ranges.filter { !$0.isEmpty }.map { "\($0.lowerBound)-\($0.upperBound - 1)" }
                .joined(separator: ",")
        case .openEnd: "bytes=0-"
        case .whole: nil
        }
    }

    private enum Mode {
        /// Consecutive bytes of a range, and the position from which on nothing more is needed.
        case range(Range<Int>, needed: Int)
        case parts(MultipartParser)
        /// The whole file, from its first byte.
        case whole(length: Int?)
        /// The body of an error.
        case ignored
    }

    /// Why the rest of a response is not wanted.
    private enum Refusal {
        case failure(FileError)
        /// The server does not send several ranges at once.
        case severalRanges
        /// What was requested is there, and the server goes on.
        case enough
        /// Nobody reads the file any more.
        case abandoned
    }

    init(_ file: RemoteFile, number: Int, _ ranges: [Range<Int>], isFirst: Bool = false) {
        self.file = file
        self.number = number
        self.ranges = ranges
        self.isFirst = isFirst
    }

    func receive(_ bytes: UnsafeRawBufferPointer, of head: ResponseHead) -> Bool {
        guard let file else {
            refusal = .abandoned
            return false
        }
        if mode == nil {
            do throws(FileError) {
                mode = try begin(head, of: file)
            } catch {
                refusal = .failure(error)
            }
        }
        guard refusal == nil else { return false }
        file.count(received: bytes.count)
        switch mode {
        case .ignored, nil: break
        case .range(let range, let needed):
            guard bytes.count <= range.count else {
                return refuse("the server sends more bytes than it declares")
            }
            append(unsafe Array(bytes)[...], at: range.lowerBound)
            let left = (range.lowerBound + bytes.count)..<range.upperBound
            mode = .range(left, needed: needed)
            // A few more keep the connection open.
            if left.lowerBound >= needed, left.count > 1 << 16, refusal == nil { refusal = .enough }
        case .parts(var parser):
            // Of the parser, the enumeration's copy is not needed meanwhile.
            mode = .ignored
            let isValid = parser.parse(unsafe Array(bytes)) { append($1, at: $0) }
            mode = .parts(parser)
            // Those that are not are requested on their own.
            if !isValid { refusal = .severalRanges }
        case .whole(let length):
            let start = pieceStart + piece.count
            guard start + bytes.count <= length ?? file.options.copyByteCount else {
                return refuse(
                    length == nil
                        ? "the server sends no ranges, and more than the \(file.options.copyByteCount >> 20) MB "
                            + "that may be copied" : "the server sends more bytes than it declares")
            }
            append(unsafe Array(bytes)[...], at: start)
        }
        return refusal == nil
    }

    private func refuse(_ reason: String) -> Bool {
        refusal = .failure(.unreadable(reason))
        return false
    }

    /// Checks the head of a response and decides how its body is read.
    private func begin(_ head: ResponseHead, of file: RemoteFile) throws(FileError) -> Mode {
        guard head.status == 200 || head.status == 206 else { return .ignored }
        let encodings = (head.fields["content-encoding"] ?? "").lowercased().split { $0 == "," || $0 == " " }
        guard Self.codings.isDisjoint(with: encodings) else {
            throw .unreadable("the server compresses it, so that there are no ranges")
        }
        (piece, pieceStart) = ([], 0)
        guard head.status == 206 else { return try beginWhole(head, of: file) }
        if let text = head.fields["content-range"] {
            guard let content = ContentRange(text) else {
                throw .unreadable("the server's answer does not state the size of the file")
            }
            try file.open(head, total: content.total, isWhole: false)
            if isFirst { ranges = ranges.map { $0.clamped(to: 0..<content.total) } }
            let found = ranges.filter { $0.overlaps(content.bytes) }
            guard let needed = found.map(\.upperBound).max() else {
                if ranges.count > 1 { return refuseSeveral() }
                throw .unreadable("the server sends other bytes than those requested")
            }
            // Of several ranges one only.
            if found.count < ranges.count { file.limitRanges(to: 1) }
            return .range(content.bytes, needed: needed)
        }
        guard head.fields["content-type"]?.lowercased().hasPrefix("multipart/byteranges") == true,
            let total = file.knownCount
        else { throw .unreadable("the server's answer does not state which bytes it has") }
        try file.check(head, total: nil)
        return .parts(MultipartParser(total: total))
    }

    /// Names of encodings by which the bytes are others than those of the file; objects in S3 may have any text.
    private static let codings: Set<Substring> = [
        "gzip", "x-gzip", "deflate", "br", "zstd", "compress", "x-compress",
    ]

    /// Decides how the body is read of an answer that has the whole file.
    private func beginWhole(_ head: ResponseHead, of file: RemoteFile) throws(FileError) -> Mode {
        let length = head.fields["content-length"].flatMap(Int.init)
        if file.sendsWhole(isFirst: isFirst, head) {
            try file.open(head, total: length, isWhole: true)
            return .whole(length: length)
        }
        try file.check(head, total: length)
        let (needed, total) = (ranges.map(\.upperBound).max() ?? 0, file.count)
        let most = file.options.storeByteCount / 2
        // Many servers answer several ranges so; a small file is used nevertheless.
        if ranges.count > 1, total > max(1 << 18, 2 * ranges.reduce(0) { $0 + $1.count }) {
            return refuseSeveral()
        }
        // A cache that has the whole file meanwhile sends all of it from now on.
        guard needed <= most else { throw .unreadable("the server has stopped to send ranges") }
        if needed > 1, total <= most {
            guard file.takesWhole(self) else {
                // Another request brings it already.
                (ranges, refusal) = ([], .enough)
                return .ignored
            }
            ranges = [0..<total]
        }
        return .range(0..<total, needed: ranges.map(\.upperBound).max() ?? 0)
    }

    private func refuseSeveral() -> Mode {
        refusal = .severalRanges
        return .ignored
    }

    private func append(_ bytes: ArraySlice<UInt8>, at position: Int) {
        if pieceStart + piece.count != position {
            flush()
            pieceStart = position
        }
        piece += bytes
        if piece.count >= 1 << 18 { flush() }
    }

    /// Passes on what has arrived.
    private func flush() {
        guard !piece.isEmpty, let file else { return }
        let range = pieceStart..<(pieceStart + piece.count)
        let left = ranges.subtracting(range)
        if left != ranges || isWhole { hasProgress = true }
        if left != ranges || isWhole && range.upperBound > furthest { attempts = 0 }
        if isWhole { furthest = max(furthest, range.upperBound) }
        ranges = left
        do throws(FileError) {
            try file.store(piece, at: pieceStart, from: self)
        } catch {
            refusal = .failure(error)
        }
        (piece, pieceStart) = ([], range.upperBound)
    }

    private var isWhole: Bool {
        if case .whole = mode { true } else { false }
    }

    func end(_ end: TransferEnd, _ head: ResponseHead) {
        guard let file else { return }
        // An empty body has no part of it.
        if mode == nil, end == .finished, head.status == 200 || head.status == 206 {
            do throws(FileError) {
                mode = try begin(head, of: file)
            } catch {
                refusal = .failure(error)
            }
        }
        flush()
        let wasWhole = isWhole
        let refusal = refusal
        var parts: Int?
        if case .parts(let parser) = mode { parts = parser.count }
        (mode, self.refusal) = (nil, nil)
        switch refusal {
        case .failure(let error): return file.fail(error)
        case .abandoned: return
        case .severalRanges:
            file.limitRanges(to: 1)
            return file.fetchAgain(self)
        case .enough where ranges.isEmpty: return file.finish(self)
        case .enough: return finish(head, of: file, wasWhole: false, parts: nil)
        case nil: break
        }
        switch end {
        case .finished: finish(head, of: file, wasWhole: wasWhole, parts: parts)
        case .interrupted(let reason):
            if wasWhole, !file.hasVersion { return file.fail(.unavailable(reason)) }
            again(reason, delay: nil, of: file)
        case .failed(let reason): file.fail(.unreadable(reason))
        case .stopped: file.fail(.unreadable("the transfer was stopped"))
        }
    }

    /// - Parameter parts: The number of ranges in an answer with several.
    private func finish(_ head: ResponseHead, of file: RemoteFile, wasWhole: Bool, parts: Int?) {
        if [400, 416, 501].contains(head.status) {
            // Some servers refuse what others ignore. If it is for another reason, one range is refused, too.
            if ranges.count > 1 {
                file.limitRanges(to: 1)
                return file.fetchAgain(self)
            }
            if isFirst, form != .whole, head.fields["content-range"]?.hasSuffix("*/0") != true {
                form = form == .ranges && head.status != 501 ? .openEnd : .whole
                return file.repeatFetch(self, after: 0)
            }
        }
        switch head.status {
        case 200 where wasWhole: file.finishWhole(pieceStart, self)
        case 200, 206:
            if ranges.allSatisfy(\.isEmpty) { return file.finish(self) }
            guard hasProgress else {
                return file.fail(.unreadable("the server sends fewer bytes than requested"))
            }
            hasProgress = false
            ranges.removeAll(where: \.isEmpty)
            // Others of several ranges were left out: what the server sends of them, and no more, is requested.
            if let parts { file.limitRanges(to: max(1, parts)) }
            if ranges.count > 1 || parts != nil { return file.fetchAgain(self) }
            file.repeatFetch(self, after: 0)
        case 404, 410: file.fail(.missing)
        case 412: file.fail(.changed)
        case 416: file.fail(isFirst ? .empty : .changed)
        // `Retry-After` may also be a date (RFC 9110, section 10.2.3), which counts as none.
        case 408, 429, 500...599:
            again(Self.answer(head.status), delay: head.fields["retry-after"].flatMap(Double.init), of: file)
        // What a redirect has led to may be valid for a while only.
        case 400...499 where file.forgetLocation(): file.repeatFetch(self, after: 0)
        default: file.fail(.unreadable(Self.answer(head.status)))
        }
    }

    /// Repeats the request after a pause, or gives up.
    private func again(_ reason: String, delay demanded: Double?, of file: RemoteFile) {
        attempts += 1
        let options = file.options
        guard attempts < options.attempts else {
            let count = attempts == 1 ? "" : ", \(attempts) times"
            return file.fail(.unavailable(reason + count))
        }
        let delay = demanded ?? 0.2 * Double(1 << (attempts - 1)) * Double.random(in: 0.75...1.25)
        guard delay.isFinite, delay >= 0, delay <= options.longestDelay else {
            return file.fail(
                .unavailable("\(reason), and asks to come back in \(Int(clamping: delay)) seconds"))
        }
        file.repeatFetch(self, after: delay)
    }

    /// Describes a status, such as "the server answers 403 Forbidden".
    private static func answer(_ status: Int) -> String {
        let names = [
            400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 405: "Method Not Allowed",
            408: "Request Timeout", 429: "Too Many Requests", 500: "Internal Server Error",
            502: "Bad Gateway",
            503: "Service Unavailable", 504: "Gateway Timeout",
        ]
        return status == 0
            ? "the server's answer is no HTTP"
            : "the server answers \(status)" + (names[status].map { " \($0)" } ?? "")
    }
}

extension Int {
    /// The integer nearest to a number.
    fileprivate init(clamping number: Double) {
        self = number.isNaN ? 0 : number >= 1e18 ? .max : number <= -1e18 ? .min : Int(number)
    }
}
