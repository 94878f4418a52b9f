/// A coordinate space, as a type without values: it keeps points of different spaces apart.
///
/// A point in view space is *v*, in content space *v + contentOffset*, in image space
/// *(v + contentOffset) / zoomScale*. Adding one to another is a compiler error.
public protocol CoordinateSpace {}

/// Points on the screen, relative to the top-left corner of the scroll view's bounds.
public enum ViewSpace: CoordinateSpace {}

/// Zoomed points, relative to the top-left corner of the content: where `contentOffset` lives.
public enum ContentSpace: CoordinateSpace {}

/// Unzoomed points: upright pixels of the image at full resolution.
public enum ImageSpace: CoordinateSpace {}

/// A grid of whole pixels, as a type without values: it keeps pixels of different grids apart.
public protocol PixelGrid {}

/// Pixels as the file stores them, before its orientation is applied.
public enum StoredGrid: PixelGrid {}

/// Pixels as they are seen, after the orientation.
public enum UprightGrid: PixelGrid {}

/// Pixels of the rendered picture.
public enum OutputGrid: PixelGrid {}
