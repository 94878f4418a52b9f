import ArgumentParser
import Files
import ViewportRendering

/// The cache as the environment sets it.
enum CacheSettings {
    /// Bytes: VIEWPORT_CACHE_BYTES, or ten gibibytes.
    ///
    /// - Throws: `ValidationError` where the variable is no number of bytes.
    static func folder() throws -> CacheFolder {
        guard let text = Surroundings.variable("VIEWPORT_CACHE_BYTES") else { return CacheFolder() }
        guard let capacity = Int(text), capacity >= 0 else {
            throw ValidationError(
                "VIEWPORT_CACHE_BYTES is \(text): set it to a whole number of bytes, or unset it")
        }
        return CacheFolder(capacity: capacity)
    }
}
