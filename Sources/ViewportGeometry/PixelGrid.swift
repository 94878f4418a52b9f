/// A grid of whole pixels, as a type that is never made: it keeps pixels of different grids apart.
public protocol PixelGrid {}

/// Pixels as the file stores them, before its orientation is applied.
public enum StoredGrid: PixelGrid {}

/// Pixels as they are seen, after the orientation.
public enum UprightGrid: PixelGrid {}

/// Pixels of the picture that is made.
public enum OutputGrid: PixelGrid {}
