/// What the server may take, of everything that can grow.
package struct ServerLimits: Sendable {
    /// The most pixels of a picture that is given.
    package var pictureArea = 25_000_000
    /// The pixels that all pictures that are being made may have together.
    package var totalArea = 50_000_000
    /// The most pixels of an image that is opened; nil for the renderer's own limits.
    package var imagePixels: Int?
    /// The images that are kept open, and those that are kept ready.
    package var openImages = 1024
    package var preparedImages = 16
    /// The bytes of small versions of large JPEGs.
    package var overviewBytes = 128 << 20
    /// The bytes of decoded tiles in memory, and of finished pictures.
    package var tileBytes = 48 << 20
    package var pictureBytes = 48 << 20
    /// Pictures that took longer to make are kept on disk.
    package var worthKeeping = Duration.milliseconds(100)
    /// How long a picture may take.
    package var timeout = Duration.seconds(60)
    /// How long a connection may be silent, in seconds.
    package var idleSeconds = 30
    /// How long a client may take nothing of an answer, in seconds.
    package var receivingSeconds = 30
    /// The bytes of all answers that clients are receiving.
    package var answerBytes = 64 << 20
    /// The most pages that follow what happens, at once.
    package var followers = 32
    /// The most connections at once; others wait until the system takes them in.
    package var connections = 4096

    package init() {}

    /// Leaves descriptors to files: who is connected must be able to get them.
    ///
    /// - Parameters:
    ///   - descriptors: that the process may have.
    ///   - threads: that wait for connections or work; each has a few of its own.
    /// - Throws: `ServerError` where hardly anybody could connect.
    mutating func fit(descriptors: Int, threads: Int) throws(ServerError) {
        let forFiles = max(64, descriptors / 4)
        let forConnections = descriptors - forFiles - 4 * threads
        guard forConnections >= 16 else { throw .tooFewDescriptors(descriptors) }
        connections = min(connections, forConnections)
        // An open image may hold its file.
        openImages = min(openImages, forFiles / 2)
    }
}
