extension Orientation {
    /// A clockwise rotation by a multiple of 90 degrees, after a mirroring left to right where `mirrored`.
    ///
    /// Nil where `degrees` is no multiple of 90. Negative angles turn counter-clockwise.
    public init?(degrees: Int, mirrored: Bool = false) {
        guard degrees % 90 == 0 else { return nil }
        let rotation: Self =
            switch ((degrees % 360) + 360) % 360 {
            case 90: .right
            case 180: .down
            case 270: .left
            default: .up
            }
        self = mirrored ? Orientation.upMirrored.followed(by: rotation) : rotation
    }

    /// This turn and then `next`, as one turn.
    public func followed(by next: Self) -> Self {
        let first = next.transposes ? (x: flipsY, y: flipsX) : (x: flipsX, y: flipsY)
        return Self(
            transposes: transposes != next.transposes,
            flipsX: first.x != next.flipsX,
            flipsY: first.y != next.flipsY)
    }

    /// The turn that undoes this one.
    public var inverse: Self {
        transposes ? Self(transposes: true, flipsX: flipsY, flipsY: flipsX) : self
    }

    /// The upright size of an image that is stored in `size`.
    public func uprightSize(_ size: PixelSize<StoredGrid>) -> PixelSize<UprightGrid> {
        transposes
            ? PixelSize(width: size.height, height: size.width)
            : PixelSize(width: size.width, height: size.height)
    }

    /// Where the stored pixels of `rect` stand in the upright image; `size` is the stored size of the whole.
    public func upright(_ rect: PixelRect<StoredGrid>, in size: PixelSize<StoredGrid>) -> PixelRect<
        UprightGrid
    > {
        let whole = uprightSize(size)
        let turned =
            transposes
            ? PixelRect<UprightGrid>(x: rect.y, y: rect.x, width: rect.height, height: rect.width)
            : PixelRect<UprightGrid>(x: rect.x, y: rect.y, width: rect.width, height: rect.height)
        return PixelRect(
            x: flipsX ? whole.width - turned.maxX : turned.x,
            y: flipsY ? whole.height - turned.maxY : turned.y,
            width: turned.width, height: turned.height)
    }

    /// Where the pixels that are seen in `rect` are stored; `size` is the stored size of the whole.
    public func stored(_ rect: PixelRect<UprightGrid>, in size: PixelSize<StoredGrid>) -> PixelRect<
        StoredGrid
    > {
        let whole = uprightSize(size)
        let x = flipsX ? whole.width - rect.maxX : rect.x
        let y = flipsY ? whole.height - rect.maxY : rect.y
        return transposes
            ? PixelRect(x: y, y: x, width: rect.height, height: rect.width)
            : PixelRect(x: x, y: y, width: rect.width, height: rect.height)
    }
}
