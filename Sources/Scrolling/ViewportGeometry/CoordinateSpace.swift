/// A coordinate space, used as a type parameter so that points of different spaces do not mix.
///
/// A point *v* in view space is *v + contentOffset* in content space and *(v + contentOffset) / zoomScale* in
/// image space. Using one for another does not compile.
public protocol CoordinateSpace {}

/// Points on the screen, relative to the top-left corner of the scroll view's bounds.
public enum ViewSpace: CoordinateSpace {}

/// Zoomed points, relative to the top-left corner of the content.
///
/// `contentOffset` is in this space.
public enum ContentSpace: CoordinateSpace {}

/// Unzoomed points: the upright pixels of the image at full resolution.
public enum ImageSpace: CoordinateSpace {}

/// A grid of whole pixels, used as a type parameter so that pixels of different grids do not mix.
public protocol PixelGrid {}

/// Pixels as the file stores them, before its orientation is applied.
public enum StoredGrid: PixelGrid {}

/// Pixels after the orientation is applied.
public enum UprightGrid: PixelGrid {}

/// Pixels of a rendered picture.
public enum OutputGrid: PixelGrid {}
