#if CommandLine
import ArgumentParser
import Basics
import Files
import Presentation
import PyramidExport
import RemoteFiles
import SiteExport
import ViewportRendering

/// `viewport site`: writes a folder that shows images on any web server with ranges.
struct SiteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site",
        abstract: "Write a folder that shows images on any static web server.",
        discussion: """
            The site has the pages of `viewport serve`, and instead of tiles the image itself with
            its sidecar: pages fetch the parts of the file that they show. The server must
            support ranges, as nginx, Apache, Caddy and object stores do; `python3 -m
            http.server` does not. Pages need https or localhost only where the browser does.

            Pages read JPEGs, progressive ones, too, PNGs without interlacing, and TIFFs with
            JPEG, deflated or plain tiles of 8 bits without transparency. Others are
            converted to JPEGs of quality 90, up to 100 megapixels, and named;
            --convert none leaves them out. A folder, or several images, become an index
            with thumbnails and a page for each image. With --base-url, manifests of the
            IIIF Presentation API 3.0 are written, too, so that other viewers show the files.
            Output is atomic. Exit code 3: some images of a folder are left out, each with a
            line that says why.
            """,
        examples: [
            "viewport site big.jpg -o site": "The page, the JPEG and its sidecar",
            "viewport site big.jpg -o site --link https://images.example.org/big.jpg":
                "The same for a JPEG that lies elsewhere",
            "viewport site photos -o site": "An index page and a page for each image",
            "viewport site photos -o site --recursive": "The same, with an index of each folder in it",
            "viewport site *.jpg -o site --title Summer": "An index and pages of some images",
            "viewport site scans -o site --convert none": "Only images that pages read as they are",
        ])

    @OptionGroup(title: "Input") var inputs: InputArguments

    @Option(
        help: "URL of the image, or of the folder of the images, which are then not copied into the site.")
    var link: String?

    @Option(help: "Which images that pages cannot read are converted; others are left out.")
    var convert = Conversion.all

    @Option(
        name: .customLong("base-url"),
        help: ArgumentHelp(
            "URL of the site: each folder gets a IIIF manifest, manifest.json, or collection.json.",
            valueName: "url"))
    var baseURL: String?

    @OptionGroup(title: "Titles and IIIF manifests") var manifest: ManifestContents

    @Option(help: "Refuse files with more pixels, before decoding them.")
    var maxPixels: Int?

    @Flag(help: "Convert the existing part of a damaged file.")
    var allowDamaged = false

    @Flag(help: OpenArguments.untrustedHelp)
    var allowUntrusted = false

    @Option(name: .shortAndLong, help: "Folder to write (default: site).", completion: .directory)
    var output = "site"

    @Flag(help: "Replace a site that viewport did not write. Its own are always replaced.")
    var overwrite = false

    @Flag(help: "Report the result as one line of JSON.")
    var json = false

    @OptionGroup var quietness: QuietArguments

    /// What is done with images that pages cannot read.
    enum Conversion: String, CaseIterable, ExpressibleByArgument {
        case all
        case none

        init?(argument: String) { self.init(rawValue: argument.lowercased()) }
    }

    mutating func validate() throws {
        try inputs.require("an image or a folder")
        if let pipe = inputs.paths.first(where: PipedInput.isPiped) {
            throw ValidationError("a site is made of files: give the name of one instead of \(pipe)")
        }
        let course = inputs.course
        if course.results != nil || course.shard != nil || course.resume {
            throw ValidationError("a site is written as a whole: leave out --results, --resume and --shard")
        }
        try require("--max-pixels", maxPixels, in: 1..., example: 100_000_000)
        if let baseURL, !ManifestOptions.isAddress(baseURL) {
            throw ValidationError(
                refusing: baseURL, of: "--base-url", give: "an http or https URL",
                example: "https://images.example.org/site")
        }
        guard let link else { return }
        let isPlain = link.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
        guard isPlain, ["https://", "http://", "/", "."].contains(where: link.hasPrefix) else {
            throw ValidationError("--link \(link): give an https URL, or a path that begins with / or .")
        }
    }

    func run() throws {
        let clock = ContinuousClock()
        let start = clock.now
        let path = output.hasSuffix("/") && output != "/" ? String(output.dropLast()) : output
        let paths = try paths
        let name = paths.count == 1 ? RemoteAddress.shown(paths[0]) : "\(paths.count) images"
        let line = ProgressLine("making a site of \(name)")
        defer { line.clear() }
        let interruption = Interruption()
        defer { withExtendedLifetime(interruption) {} }
        let flag = interruption.flag
        if allowUntrusted { try ViewportRuntime.allowUntrustedLoaders() }
        let progress: @Sendable (Double) throws -> Void = { share in
            try flag.check()
            line.show(share)
        }
        let source = try folder(of: paths, leavingOut: path)
        let site = site(of: paths)
        let report = try OutputError.naming(path) {
            guard let source else { return try site.write(image: paths[0], to: path, progress: progress) }
            return try site.write(source, to: path, progress: progress)
        }
        line.clear()
        for image in report.images where image.isConverted {
            StandardError.note("\(RemoteAddress.shown(image.path)): was converted to a JPEG")
        }
        for failure in report.failures {
            StandardError.write("viewport: \(sentence(for: failure.reason))\n")
        }
        if json { print(self.json(report, of: paths, path, clock.now - start)) }
        if !report.failures.isEmpty { throw ExitCode(Exit.someFailed.rawValue) }
    }

    /// The paths of the inputs, also those that a manifest lists.
    private var paths: [String] {
        get throws {
            guard inputs.course.manifest != nil else { return inputs.paths }
            var paths: [String] = []
            try inputs.forEach { paths.append($0) }
            guard !paths.isEmpty else { throw ValidationError("--manifest lists no images") }
            return paths
        }
    }

    private func site(of paths: [String]) -> StaticSite {
        let name = paths.count == 1 ? FilePath(RemoteAddress.shown(paths[0])).names.last?.text : nil
        var site = StaticSite(title: manifest.title ?? name ?? "Images", link: link)
        site.manifests = baseURL.map { SiteManifests(url: $0, manifest.options) }
        site.replaces = overwrite
        site.converts = convert == .all
        site.opening.maximumPixels = maxPixels
        site.opening.allowsTruncated = allowDamaged
        return site
    }

    /// The images of folders, or several images; nil if the site is that of one image.
    private func folder(of paths: [String], leavingOut output: String) throws -> SiteFolder? {
        guard let image = paths.first, paths.count == 1 else {
            return SiteFolder(paths, isRecursive: inputs.recursive, leavingOut: output)
        }
        guard Folder.isFolder(image, followingLinks: true) else {
            guard !inputs.recursive else {
                throw ValidationError("--recursive is for a folder: leave it out")
            }
            return nil
        }
        let path = image.hasSuffix("/") && image != "/" ? String(image.dropLast()) : image
        let folder = try RenderingError.naming(image) { () throws(FileError) in
            try SiteFolder(path, isRecursive: inputs.recursive, leavingOut: output)
        }
        guard folder.imageCount > 0 else {
            for left in folder.allLeft { StandardError.write("viewport: \(sentence(for: left))\n") }
            throw ValidationError("\(image): has no images; give a folder with JPEGs in it")
        }
        return folder
    }

    private func json(
        _ report: StaticSite.Report, of paths: [String], _ path: String, _ time: Duration
    ) -> JSONValue {
        .object([
            "path": .string(RemoteAddress.shown(paths[0])), "output": .string(path),
            "images": .array(
                report.images.map {
                    .object([
                        "path": .string(RemoteAddress.shown($0.path)), "page": .string($0.page),
                        "converted": .bool($0.isConverted),
                    ])
                }),
            "outputs": .outputs(path, bytes: report.bytes),
            "failures": .array(
                report.failures.map { .failure(RemoteAddress.shown($0.path), $0.reason) }),
            // Its former name and form.
            "errors": .array(
                report.failures.map {
                    .object([
                        "path": .string(RemoteAddress.shown($0.path)),
                        "error": .string(viewport.sentence(for: $0.reason)),
                    ])
                }),
            "bytes": .int(report.bytes), "sidecarBytes": .int(report.sidecarBytes),
            "ms": .number((time / .microseconds(1)).rounded() / 1000),
        ])
    }
}
#endif
