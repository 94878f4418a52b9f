internal import CCurl
internal import Platform

/// A request for some bytes of a file.
struct TransferRequest: Sendable {
    var address: RemoteAddress
    /// The URL that redirects have led to; nil for that of the address.
    var location: String?
    /// The value of the header `Range`, such as "bytes=0-65535"; nil for the whole file.
    var range: String?
    /// A further header, which makes the server refuse a file that has changed.
    var condition: String?
    var timeout: Double
    var allowsPrivateAddresses: Bool
}

/// The head of a response.
struct ResponseHead: Sendable {
    var status = 0
    /// Values by lowercase names; of repeated ones the last.
    var fields: [String: String] = [:]
    /// The URL that redirects have led to.
    var location: String?

    init() {}

    /// Reads a line: a status line begins a new head, which follows redirects and interim responses.
    mutating func read(_ line: Substring) {
        if line.hasPrefix("HTTP/") {
            let words = line.split(separator: " ")
            self = ResponseHead()
            status = words.count > 1 ? Int(words[1]) ?? 0 : 0
        } else if let colon = line.firstIndex(of: ":"), fields.count < 100 {
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            fields[line[..<colon].lowercased()] = String(value)
        }
    }

    /// Whether it is the head of a response whose body is of interest.
    var isFinal: Bool { status >= 200 && !(300...399).contains(status) }
}

/// How a transfer ended.
enum TransferEnd: Sendable, Equatable {
    case finished
    /// The receiver did not want more.
    case stopped
    /// It may succeed when it is repeated, with the reason.
    case interrupted(String)
    /// It fails each time, with the reason.
    case failed(String)
}

/// Receives a response, on the thread of the transfers.
protocol TransferReceiver: AnyObject, Sendable {
    /// Receives a part of the body; the head is complete.
    ///
    /// Returns false to stop the transfer.
    func receive(_ bytes: UnsafeRawBufferPointer, of head: ResponseHead) -> Bool

    /// Is called once, at the end.
    func end(_ end: TransferEnd, _ head: ResponseHead)
}

/// A running transfer, which libcurl's callbacks refer to.
///
/// Only the thread of the transfers uses it.
@safe final class Transfer {
    let request: TransferRequest
    let receiver: any TransferReceiver
    private let library: CurlLibrary
    private(set) var handle: CurlLibrary.Easy?
    private var headers: UnsafeMutablePointer<curl_slist>?
    private var head = ResponseHead()
    private var isStopped = false
    /// Whether a connection was refused because its address is private.
    private var metPrivateAddress = false

    init(_ request: TransferRequest, _ receiver: any TransferReceiver, _ library: CurlLibrary) {
        self.request = request
        self.receiver = receiver
        self.library = library
        unsafe handle = library.newEasy()
        setUp()
    }

    deinit {
        unsafe library.freeEasy(handle)
        unsafe library.freeHeaders(headers)
    }

    private func setUp() {
        let address = request.address
        text(CURLOPT_URL, request.location ?? address.url)
        text(CURLOPT_PROTOCOLS_STR, "http,https")
        // Credentials and pictures do not continue in plain text.
        text(CURLOPT_REDIR_PROTOCOLS_STR, address.url.hasPrefix("https:") ? "https" : "http,https")
        number(CURLOPT_FOLLOWLOCATION, 1)
        number(CURLOPT_MAXREDIRS, 5)
        number(CURLOPT_NOSIGNAL, 1)
        number(CURLOPT_CONNECTTIMEOUT_MS, Int(request.timeout * 1000))
        number(CURLOPT_LOW_SPEED_LIMIT, 200)
        number(CURLOPT_LOW_SPEED_TIME, max(1, Int(request.timeout.rounded(.up))))
        number(CURLOPT_TCP_NODELAY, 1)
        number(CURLOPT_BUFFERSIZE, 1 << 17)
        text(CURLOPT_USERAGENT, "viewport")
        if !request.allowsPrivateAddresses { text(CURLOPT_PROXY, "") }
        if let signing = address.signing {
            text(CURLOPT_AWS_SIGV4, "aws:amz:\(signing.region):s3")
            text(CURLOPT_USERNAME, signing.key)
            text(CURLOPT_PASSWORD, signing.secret)
            // S3 demands the hash of the body, which is empty; not every libcurl adds it.
            header("x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
            if let session = signing.session { header("x-amz-security-token: \(session)") }
        } else if let login = address.login, request.location == nil {
            text(CURLOPT_USERNAME, login.user)
            text(CURLOPT_PASSWORD, login.password)
        }
        header("Accept-Encoding: identity")
        if let range = request.range { header("Range: \(range)") }
        if let condition = request.condition { header(condition) }
        // The list and this object live until the handle is freed.
        _ = unsafe ccurl_set_pointer(library.setOption, handle, CURLOPT_HTTPHEADER, headers)
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ccurl_set_pointer(library.setOption, handle, CURLOPT_PRIVATE, context)
        unsafe ccurl_set_pointer(library.setOption, handle, CURLOPT_WRITEDATA, context)
        unsafe ccurl_set_pointer(library.setOption, handle, CURLOPT_HEADERDATA, context)
        unsafe ccurl_set_writer(library.setOption, handle, CURLOPT_WRITEFUNCTION) {
            bytes, size, count, context in
            guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
            let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
            return unsafe transfer.write(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        unsafe ccurl_set_writer(library.setOption, handle, CURLOPT_HEADERFUNCTION) {
            bytes, size, count, context in
            guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
            let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
            unsafe transfer.read(UnsafeRawBufferPointer(start: bytes, count: size * count))
            return size * count
        }
        guard !request.allowsPrivateAddresses else { return }
        unsafe ccurl_set_pointer(library.setOption, handle, CURLOPT_OPENSOCKETDATA, context)
        unsafe ccurl_set_socket_opener(library.setOption, handle) { context, _, address in
            guard let context = unsafe context, let address = unsafe address else { return -1 }
            let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
            return unsafe transfer.openSocket(address)
        }
    }

    private func text(_ option: CURLoption, _ value: String) {
        // libcurl copies the text.
        _ = unsafe ccurl_set_text(library.setOption, handle, option, value)
    }

    private func number(_ option: CURLoption, _ value: Int) {
        _ = unsafe ccurl_set_long(library.setOption, handle, option, value)
    }

    private func header(_ line: String) {
        // The list copies the line.
        unsafe headers = library.appendHeader(headers, line)
    }

    private func read(_ line: UnsafeRawBufferPointer) {
        let text = unsafe String(decoding: line, as: UTF8.self)
        // A carriage return and a line feed are one character.
        head.read(text.prefix { !$0.isNewline })
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard head.isFinal else { return bytes.count }
        if head.location == nil { head.location = location }
        guard unsafe receiver.receive(bytes, of: head) else {
            isStopped = true
            return 0
        }
        return bytes.count
    }

    /// Opens a socket, unless its address is private.
    @unsafe private func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        // libcurl has filled the address, which is as long as its family's.
        let isPrivate = unsafe withUnsafePointer(to: &address.pointee.addr) {
            unsafe PrivateAddress.contains($0)
        }
        guard !isPrivate else {
            metPrivateAddress = true
            return -1
        }
        return unsafe socket(address.pointee.family, address.pointee.socktype, address.pointee.protocol)
    }

    /// The URL of the last request; nil where there was no redirect.
    private var location: String? {
        var count = 0
        var text: UnsafeMutablePointer<CChar>?
        unsafe ccurl_get_long(library.getInfo, handle, CURLINFO_REDIRECT_COUNT, &count)
        guard count > 0,
            unsafe ccurl_get_text(library.getInfo, handle, CURLINFO_EFFECTIVE_URL, &text) == CURLE_OK
        else { return nil }
        // The text belongs to the handle; it is copied.
        return unsafe text.map { unsafe String(cString: $0) }
    }

    /// Reports the end to the receiver.
    func end(_ code: CURLcode) {
        if head.location == nil, head.isFinal { head.location = location }
        receiver.end(meaning(of: code), head)
    }

    /// Returns what a result of libcurl means.
    ///
    /// Its own messages are not used: they may name the URL with credentials.
    private func meaning(of code: CURLcode) -> TransferEnd {
        guard !isStopped else { return .stopped }
        guard !metPrivateAddress || code == CURLE_OK else {
            return .failed("its host has a private address, which is not allowed")
        }
        return switch code {
        case CURLE_OK: .finished
        case CURLE_COULDNT_RESOLVE_HOST: .failed("its host is not known")
        case CURLE_COULDNT_RESOLVE_PROXY: .failed("the host of the proxy is not known")
        case CURLE_COULDNT_CONNECT: .interrupted("its host accepts no connection")
        case CURLE_OPERATION_TIMEDOUT: .interrupted("the server sends nothing for too long")
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2,
            CURLE_HTTP2_STREAM:
            .interrupted("the connection was cut")
        case CURLE_TOO_MANY_REDIRECTS: .failed("it redirects more than 5 times")
        case CURLE_UNSUPPORTED_PROTOCOL: .failed("it redirects to a URL that is not read")
        case CURLE_URL_MALFORMAT: .failed("its URL is invalid")
        case CURLE_PEER_FAILED_VERIFICATION: .failed("the certificate of its host is not valid")
        case CURLE_SSL_CONNECT_ERROR: .failed("its host offers no secure connection")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_HTTP_RETURNED_ERROR:
            .failed("the server's answer is no HTTP")
        default: .failed("libcurl reports error \(code.rawValue)")
        }
    }
}
