import Hummingbird
import TileServing

let tiles = try TileServer(roots: ["."])
let router = Router(context: BasicRequestContext.self)
router.addTileServer(tiles, at: "/images")
let application = Application(router: router)
print(application)
