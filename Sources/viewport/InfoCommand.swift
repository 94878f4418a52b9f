import ArgumentParser
import ImageMetadata
import TilePyramid
import ViewportGeometry
import ViewportRendering

/// `viewport info`: what a file is and how it will be read, without decoding it.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Say what an image is and how it will be read.")

    @Argument(help: "Image to look at.")
    var image: String

    @OptionGroup(title: "How it is opened") var opening: OpenArguments

    @Flag(help: "One line of JSON.")
    var json = false

    func run() throws {
        if !opening.allowUntrusted { ImageFile.startForOneFile(image) }
        let file = try open()
        print(json ? "\(Self.report(file))" : Self.table(file))
    }

    /// The image, of which what is missing is told, not refused.
    private func open() throws -> ImageFile {
        do {
            return try opening.open(image)
        } catch RenderingError.truncated {
            return try opening.open(image) { $0.allowsTruncated = true }
        }
    }

    private static func report(_ file: ImageFile) -> JSONText {
        .object([
            ("path", .string(file.path)), ("format", .string(file.format.rawValue)),
            ("width", .int(file.uprightSize.width)), ("height", .int(file.uprightSize.height)),
            ("storedWidth", .int(file.storedSize.width)), ("storedHeight", .int(file.storedSize.height)),
            ("orientation", .int(file.fileOrientation.rawValue)),
            ("pages", .int(file.pages)), ("page", .int(file.page)),
            (
                "levels",
                .array(file.pyramid.levels.map { .array([.int($0.size.width), .int($0.size.height)]) })
            ),
            ("colors", .string(file.interpretation)), ("bands", .int(file.bands)),
            ("alpha", .bool(file.hasAlpha)),
            ("profile", JSONText(file.profile) { .string($0.name ?? $0.colourSpace) }),
            ("make", JSONText(file.exif?.make, JSONText.string)),
            ("model", JSONText(file.exif?.model, JSONText.string)),
            ("date", JSONText(file.exif?.date) { .string("\($0.local)") }),
            ("offset", JSONText(file.exif?.date?.offset) { .string("\($0)") }),
            ("dateSource", JSONText(file.exif?.date) { .string($0.source.rawValue) }),
            (
                "location",
                JSONText(file.exif?.location) {
                    .object([
                        ("latitude", .number($0.latitude)), ("longitude", .number($0.longitude)),
                        ("altitude", JSONText($0.altitude, JSONText.number)),
                    ])
                }
            ),
            ("reading", .string(file.reading)),
            ("damage", JSONText(file.damage, JSONText.string)),
        ])
    }

    private static func table(_ file: ImageFile) -> String {
        var rows: [(String, String)] = [
            ("file", file.path),
            ("format", file.format.rawValue),
            ("size", "\(file.uprightSize.width) x \(file.uprightSize.height) upright"),
            (
                "stored",
                "\(file.storedSize.width) x \(file.storedSize.height), orientation \(file.fileOrientation.rawValue)"
            ),
            ("pages", file.pages == 1 ? "1" : "\(file.pages), showing page \(file.page)"),
            (
                "levels",
                file.pyramid.levels.map { "\($0.size.width)x\($0.size.height)" }.joined(separator: " ")
            ),
            (
                "colours",
                "\(file.interpretation), \(file.bands) bands\(file.hasAlpha ? ", the last is alpha" : "")"
            ),
            ("profile", file.profile.map { $0.name ?? $0.colourSpace } ?? "none"),
        ]
        let camera = [file.exif?.make, file.exif?.model].compactMap(\.self)
        if !camera.isEmpty { rows.append(("camera", camera.joined(separator: " "))) }
        if let date = file.exif?.date {
            rows.append(
                (
                    "date",
                    "\(date.local) \(date.offset.map { "\($0)" } ?? "(zone unknown)"), from \(date.source.rawValue)"
                ))
        }
        if let location = file.exif?.location {
            rows.append(("place", "\(location.latitude), \(location.longitude)"))
        }
        rows.append(("reading", file.reading))
        if let damage = file.damage { rows.append(("damage", damage)) }
        return rows.map { name, value in
            name + String(repeating: " ", count: 10 - name.count) + value
        }.joined(separator: "\n")
    }
}
