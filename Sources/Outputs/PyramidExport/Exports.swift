// Images and colors are ViewportRendering's, the grids of levels TilePyramid's.
@_exported public import TilePyramid
@_exported public import ViewportRendering
