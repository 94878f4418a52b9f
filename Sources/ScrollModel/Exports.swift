// Clients of this product write points, sizes and rectangles: they need no second import.
@_exported public import ViewportGeometry
