#if CommandLine
import ArgumentParser
import Basics
import Batches
import ImageMetadata
import RemoteFiles
import Thumbnails
import TilePyramid
import ViewportGeometry
import ViewportRendering

/// `viewport info`: reports size, format and access method of images without decoding them.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show format, size and access method of images.",
        examples: [
            "viewport info *.jpg": "A table for each image",
            "viewport info big.tif --page 2 --json": "The third page, as JSON",
            "viewport info --recursive scans --results scans.jsonl":
                "A report of each image below a folder, which --resume continues",
        ])

    @OptionGroup(title: "Input and batch") var inputs: InputArguments
    @OptionGroup(title: "Reading") var opening: OpenArguments

    @Flag(help: "Print one line of JSON per image.")
    var json = false

    @OptionGroup var quietness: QuietArguments

    func validate() throws { try inputs.require("an image", takesPipes: inputs.course.results == nil) }

    func run() throws {
        if inputs.isOne, !opening.allowUntrusted {
            ViewportRuntime.leaveOutPlugins(unlessNeededFor: try PipedInput.path(inputs.path))
        }
        guard inputs.course.results == nil else { return try report() }
        var (images, failures) = (0, 0)
        try inputs.forEach { image in
            do {
                let file = try open(image)
                let text = try json ? "\(Self.report(file, as: image))" : Self.table(file, as: image)
                if images > 0, !json { print() }
                images += 1
                print(text)
            } catch let error as RenderingError where !inputs.isSingle {
                failures += 1
                StandardError.write("viewport: \(PipedInput.named(viewport.sentence(for: error)))\n")
                if json { print(JSONValue.failure(RemoteAddress.shown(image), error)) }
            }
        }
        if failures > 0 { throw ExitCode(Exit.someFailed.rawValue) }
    }

    /// Writes a line of results for each image.
    private func report() throws {
        if !inputs.isOne { ThumbnailMaker.prepareForBatch() }
        if opening.allowUntrusted { try ViewportRuntime.allowUntrustedLoaders() }
        let command = self
        let options = "info 1 \(opening.page) \(opening.isNotOriented) \(opening.maxPixels ?? 0)"
        let work = NotedWork(noun: "report", options: options) { item, _ in
            let info = try Self.report(command.open(item.file), as: item.path)
            return BatchOutput(.made([]), notes: [JSONValue.Member(name: "info", value: info)])
        }
        try BatchRun(work, inputs, json: json).run(inputs.list(for: work))
    }

    /// Opens the image, a truncated one too: its damage is part of the report.
    private func open(_ image: String) throws -> ImageFile {
        do {
            return try opening.open(image)
        } catch RenderingError.truncated {
            return try opening.open(image) { $0.allowsTruncated = true }
        }
    }

    private static func report(_ file: ImageFile, as path: String) throws -> JSONValue {
        .object(
            [("path", .string(RemoteAddress.shown(path)))]
                + file.report(
                    [
                        ("gainMap", JSONValue(try file.readGainMap()) { .object($0.members) }),
                        ("panorama", file.panoramaReport?.json ?? .null),
                        ("film", EmbeddedFilm.report(file.embeddedFilm).members ?? .null),
                        ("remote", JSONValue(file.remoteReport) { $0.json }),
                    ] + (DateReport(of: file)?.members ?? [])))
    }

    /// Returns the format of a raw file and the size of its sensor's data: "nef, preview of a raw file of 6048 x 4024".
    private static func format(_ raw: RawPreview) -> String {
        let size = raw.sensorSize.map { " of \($0.width) x \($0.height)" } ?? ""
        return "\(raw.format.rawValue), preview of a raw file\(size)"
    }

    /// Returns "PQ, peak 1000 cd/m², shown in SDR with white at 203 cd/m²".
    private static func text(_ range: HighDynamicRange) -> String {
        func number(_ value: Double) -> String { "\(Int(value.rounded()))" }
        return "\(range.transfer.name), peak \(number(range.peak)) cd/m², "
            + "shown in SDR with white at \(number(HighDynamicRange.white)) cd/m²"
    }

    /// Returns "ultra-hdr, 960 x 540, headroom 8".
    private static func text(_ map: GainMap) -> String {
        [
            map.kind.rawValue, map.size.map { "\($0.width) x \($0.height)" },
            map.headroom.map { "headroom \(($0 * 100).rounded() / 100)" }, map.defect,
        ].compactMap(\.self).joined(separator: ", ")
    }

    private static func pages(of file: ImageFile) -> String {
        guard file.pages > 1 else { return "1" }
        let shown = "\(file.pages), showing page \(file.page)"
        guard let item = file.pictureItem else { return shown }
        let primary = "the primary picture"
        return item.shown == item.primary
            ? "\(shown), \(primary) (item \(item.primary))"
            : "\(shown) (item \(item.shown)); page 0 is \(primary) (item \(item.primary))"
    }

    private static func table(_ file: ImageFile, as path: String) throws -> String {
        var rows: [(String, String)] = [
            ("file", RemoteAddress.shown(path)),
            ("format", file.rawPreview.map(Self.format) ?? file.format.rawValue),
            ("size", "\(file.uprightSize.width) x \(file.uprightSize.height) upright"),
            (
                "stored",
                "\(file.storedSize.width) x \(file.storedSize.height), orientation \(file.fileOrientation.rawValue)"
            ),
            ("pages", pages(of: file)),
            (
                "levels",
                file.pyramid.levels.map { "\($0.size.width)x\($0.size.height)" }.joined(separator: " ")
            ),
            (
                "colors",
                "\(file.interpretation), \(file.bands) bands\(file.hasAlpha ? ", the last is alpha" : "")"
            ),
            ("profile", file.profile.map { $0.name ?? $0.colorSpace } ?? "none"),
        ]
        if let range = file.profile?.highDynamicRange {
            rows.append(("range", Self.text(range)))
        }
        if file.hasContentCredentials {
            let signer = file.credentialSigner.map { " of \($0)" } ?? ""
            rows.append(("signed", "content credentials (C2PA)\(signer), which are not verified"))
        }
        let metadata = file.metadata(.all)
        let camera = [metadata?.make, metadata?.model].compactMap(\.self)
        if !camera.isEmpty { rows.append(("camera", camera.joined(separator: " "))) }
        let dates = DateReport(of: file)
        if let date = dates?.date { rows.append(("date", date)) }
        for notice in dates?.notices ?? [] { rows.append(("but", notice)) }
        if let location = metadata?.location {
            rows.append(("place", "\(location.latitude), \(location.longitude)"))
        }
        if let map = try file.readGainMap() { rows.append(("gain map", Self.text(map))) }
        if let panorama = file.panoramaReport { rows.append(("panorama", panorama.text)) }
        if let film = EmbeddedFilm.report(file.embeddedFilm).text { rows.append(("film", film)) }
        rows.append(("reading", file.reading))
        if let damage = file.damage { rows.append(("damage", damage)) }
        return rows.map { name, value in
            name + String(repeating: " ", count: 10 - name.count) + value
        }.joined(separator: "\n")
    }
}

extension GainMap {
    /// The members of a report.
    var members: [(String, JSONValue?)] {
        [
            ("kind", .string(kind.rawValue)), ("width", JSONValue(size) { .int($0.width) }),
            ("height", JSONValue(size) { .int($0.height) }),
            ("headroom", JSONValue(headroom, JSONValue.number)),
            ("defect", JSONValue(defect, JSONValue.string)),
        ]
    }
}
#endif
