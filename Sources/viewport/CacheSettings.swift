import ArgumentParser
import Files
internal import RenderCaching
import ViewportRendering

/// The cache as the environment sets it.
enum CacheSettings {
    /// The bound of VIEWPORT_CACHE_BYTES, or ten gibibytes.
    ///
    /// - Throws: `ValidationError` where the variable is no number of bytes.
    static func folder() throws -> CacheFolder {
        guard let text = ProcessEnvironment.variable("VIEWPORT_CACHE_BYTES") else { return CacheFolder() }
        guard let capacity = ByteCount(argument: text)?.bytes else {
            throw ValidationError(
                refusing: text, of: "VIEWPORT_CACHE_BYTES", give: ByteCount.understood,
                example: "VIEWPORT_CACHE_BYTES=\(ByteCount.example)")
        }
        return CacheFolder(capacity: capacity)
    }

    /// Who asks for a pyramid on the command line gets one, however small the image.
    static var policy: PyramidPolicy {
        var policy = PyramidPolicy()
        policy.minimumPixels = 1
        policy.keepsDrawings = true
        return policy
    }
}
