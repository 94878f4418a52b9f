import ViewportControl

print(ScrollView(bounds: Size(width: 320, height: 480), viewSize: Size(width: 640, height: 960)).zoomScale)
