extension ImageFile {
    /// Whether its pages are frames of a moving picture.
    package var isAnimated: Bool { pages > 1 && (format == .gif || format == .webp) }

    /// Whether it is a drawing, which has any resolution.
    package var isDrawn: Bool { format.isDrawn }
}
