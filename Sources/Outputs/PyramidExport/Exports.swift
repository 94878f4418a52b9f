// Images and colors are ViewportRendering's, the grids of levels TilePyramid's, results of many files those of Batches.
@_exported public import Batches
@_exported public import TilePyramid
@_exported public import ViewportRendering
