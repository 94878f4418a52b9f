/// What the server lends to routes that others add to it.
package struct ServerServices: Sendable {
    /// What may be seen.
    package let roots: ImageRoots
    package let limits: ServerLimits
    package let assets: (any PageAssets)?
    package let pictures: RenderCache
}

/// What others add to the server: the seam for all that is no image.
package protocol ServerAddition: Sendable {
    /// The roots that it shows in pages of its own.
    var places: [IndexPlace] { get }

    /// Whether only pages of this server may read what is at a path, which need not be there.
    func isPrivate(_ path: String) -> Bool

    func routes(_ services: ServerServices) -> [any Route]
}
