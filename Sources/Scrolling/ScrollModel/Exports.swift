// Clients of this product use points, sizes and rectangles without a second import.
@_exported public import ViewportGeometry
