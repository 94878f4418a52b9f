import Hummingbird
import TileServing

guard CommandLine.arguments.count == 4, let port = Int(CommandLine.arguments[3]) else {
    fatalError("usage: own-server FOLDER TOKEN PORT")
}
TileServer.tuneProcess()
let tiles = try TileServer(roots: [CommandLine.arguments[1]])

let router = Router()
router.get("hello") { _, _ in "hello" }
router.add(middleware: Authentication(users: [CommandLine.arguments[2]: "reader"]))
router.addTileServer(tiles, at: "/images")

let application = Application(
    router: router, server: .http1(configuration: tiles.http1Configuration),
    configuration: .init(address: .hostname("127.0.0.1", port: port)))
try await application.runService()
