import ViewportGeometry

let rect = Rect<ImageSpace>(x: 10, y: 20, width: 300, height: 200)
let size = PixelSize<StoredGrid>(width: 4000, height: 3000)
print(rect.width, Orientation.right.uprightSize(size))
