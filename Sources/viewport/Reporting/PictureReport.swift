#if CommandLine
import Basics
import RemoteFiles
import Renders
import ViewportGeometry
import ViewportRendering

/// What `viewport render --json` says of one file.
struct PictureReport {
    private let file: ImageFile
    private let opened: Duration
    private var pictures: [(picture: MadePicture, byteCount: Int, path: String)] = []
    /// The time of the whole command.
    var total = Duration.zero

    init(of file: ImageFile, opened: Duration) {
        (self.file, self.opened) = (file, opened)
    }

    /// Adds a picture that was written; its bytes are no longer needed.
    mutating func add(_ picture: MadePicture, _ path: String) {
        let count = picture.bytes.count
        pictures.append((picture, count, path))
        pictures[pictures.count - 1].picture.bytes = []
    }

    /// Shows the notes on its pictures.
    func showNotes() {
        let board = PictureNotes(isOnly: true)
        for (picture, _, _) in pictures { board.show(picture.notes, of: file.path) }
    }

    func json(of command: RenderCommand) -> JSONValue {
        let (picture, byteCount, path) = pictures[0]
        let image = JSONValue.string(RemoteAddress.shown(command.image))
        if let canonical = picture.canonicalPath {
            return .object([
                "path": image, "output": .string(path), "outputs": .outputs(path),
                "canonical": .string(canonical),
            ])
        }
        guard !command.looking.faces else {
            return .object([
                "path": image, "output": .string(command.picture.output ?? ""), "outputs": .array(faces),
            ])
        }
        return .object(
            [
                ("path", image), ("output", .string(path)),
                (
                    "outputs",
                    .outputs(
                        path, width: picture.size.width, height: picture.size.height, bytes: byteCount)
                ),
                ("width", .int(picture.size.width)), ("height", .int(picture.size.height)),
                ("requested", .object(command.requested)),
            ] + view(picture, command)
                + [
                    ("reading", .string(picture.reading)), ("level", JSONValue(picture.level, JSONValue.int)),
                    (
                        "storedRect",
                        JSONValue(picture.storedRect) {
                            .array([.int($0.x), .int($0.y), .int($0.width), .int($0.height)])
                        }
                    ),
                    (
                        "gainMap",
                        JSONValue(file.gainMap) {
                            .object($0.members + [("kept", .bool(picture.hasGainMap))])
                        }
                    ), ("remote", JSONValue(file.remoteReport) { $0.json }),
                    ("notes", picture.notes.filter { !$0.isOfView }.json),
                    ("ms", milliseconds(picture.times)),
                ])
    }

    /// What is shown: a look, or a view.
    private func view(_ picture: MadePicture, _ command: RenderCommand) -> [(String, JSONValue?)] {
        let request = picture.request
        let visible = request?.visibleRect
        let showsMore = picture.notes.contains { if case .showsMore = $0 { true } else { false } }
        return [
            ("look", command.looking.frame(command.region).map { $0.json } ?? .null),
            ("zoomScale", request.map { .number($0.zoomScale) }),
            ("contentOffset", request.map { .numbers($0.contentOffset.x, $0.contentOffset.y) }),
            ("visibleRect", visible.map { .numbers($0.minX, $0.minY, $0.width, $0.height) }),
            ("showsMore", .bool(showsMore)),
            ("limits", .array((request?.limits ?? []).map(JSONValue.string))),
        ]
    }

    private var faces: [JSONValue] {
        zip(CubeFace.allCases, pictures).map { face, one in
            .object([
                "face": .string(face.rawValue), "path": .string(one.path),
                "width": .int(one.picture.size.width), "height": .int(one.picture.size.height),
                "bytes": .int(one.byteCount),
            ])
        }
    }

    /// The time of each step in milliseconds, to the microsecond.
    private func milliseconds(_ times: MadePicture.Times) -> JSONValue {
        func milliseconds(_ duration: Duration) -> JSONValue {
            .number((duration / .microseconds(1)).rounded() / 1000)
        }
        return .object([
            "open": milliseconds(opened), "read": milliseconds(times.read),
            "scale": milliseconds(times.scale), "encode": milliseconds(times.encode),
            "total": milliseconds(total),
        ])
    }
}
#endif
