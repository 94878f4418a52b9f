// `JPEGHeader` and `JPEGRegionReader` show sizes and rectangles.
@_exported public import ViewportGeometry
