import Replay

var player = Player(image: Size(width: 4000, height: 3000), framesPerSecond: 30)
try player.finish { view, index in print(index, view.zoomScale) }
