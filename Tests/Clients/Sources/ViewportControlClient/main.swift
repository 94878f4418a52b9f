import ViewportControl

final class Logger: ViewController {
    override func viewDidAppear(_ animated: Bool) { print("on screen, \(view.bounds)") }
}

let navigation = NavigationController(root: Logger())
let window = Window(size: Size(width: 320, height: 480), root: navigation)
let viewer = ImageScrollViewController(path: "lake.jpg")
navigation.push(viewer)
window.update()
do {
    let log = try await viewer.play(#"{"doubleTap":[160,240]}"#)
    print(log.names, log.pictures.map(\.size))
} catch {
    print(error)
}
