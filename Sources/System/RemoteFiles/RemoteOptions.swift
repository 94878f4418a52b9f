internal import Basics

/// How files behind URLs are read: waiting, repetition, memory and which hosts are allowed.
public struct RemoteOptions: Hashable, Codable, Sendable {
    /// The longest time without progress before a request is repeated, in seconds; it also limits the connection.
    public var timeout = 30.0
    /// The most requests for the same bytes: the first one and its repetitions after errors that may pass.
    public var attempts = 4
    /// The longest wait before a repetition, in seconds: a server that demands more with `Retry-After` is an error.
    public var longestDelay = 15.0
    /// The most bytes of a file that are kept in memory, or on disk where `storesOnDisk` is set.
    public var storeByteCount = 32 << 20
    /// Whether received bytes are kept in a temporary file instead of memory.
    public var storesOnDisk = false
    /// The most bytes of a file that is copied as a whole, for decoders without ranges and servers without them.
    public var copyByteCount = 4 << 30
    /// Whether addresses of private networks, of this machine and of its link may be contacted.
    ///
    /// A server that opens URLs of its clients must not, or clients reach what only the server can reach. The address
    /// is checked when a connection is made, after redirects and the resolution of names.
    public var allowsPrivateAddresses = true
    /// Whether a saved index next to the image, such as `big.jpg.vpi`, is used.
    public var usesSidecars = true

    /// Creates options for images that the user trusts.
    public init() {}
}

extension RemoteOptions {
    /// Decodes options; those that are missing have their defaults, and numbers must be finite.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        try values.read(&timeout, .timeout)
        try values.read(&attempts, .attempts)
        try values.read(&longestDelay, .longestDelay)
        try values.read(&storeByteCount, .storeByteCount)
        try values.read(&storesOnDisk, .storesOnDisk)
        try values.read(&copyByteCount, .copyByteCount)
        try values.read(&allowsPrivateAddresses, .allowsPrivateAddresses)
        try values.read(&usesSidecars, .usesSidecars)
    }
}
