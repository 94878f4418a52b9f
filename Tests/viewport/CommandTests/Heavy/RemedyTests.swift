import ArgumentParser
import Foundation
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@testable import viewport

@Suite("A remedy")
struct RemedyTests {
    /// All commands without subcommands, with the names that select them.
    static let commands: [(names: [String], type: any ParsableCommand.Type)] = leaves(
        ViewportCommand.self, below: [])

    private static func leaves(
        _ command: any ParsableCommand.Type, below names: [String]
    ) -> [([String], any ParsableCommand.Type)] {
        let subcommands = command.configuration.subcommands
        guard !subcommands.isEmpty else { return [(names, command)] }
        return subcommands.flatMap { leaves($0, below: names + [$0._commandName]) }
    }

    /// Returns the options in a text, except those of commands in backquotes.
    static func options(in text: String) -> [String] {
        text.replacing(/`[^`]*`/, with: "").matches(of: /--[a-z][a-z-]+/).map { String($0.output) }
    }

    /// Errors of images, with remedies that name options.
    static let errors: [RenderingError] = [
        .unknownFormat(file: "a", untrusted: "SVG"), .truncated(file: "a", missing: "rows"),
        .tooManyPixels(file: "a", size: PixelSize(width: 1, height: 1), limit: 1),
        .blocksTooLarge(file: "a", size: PixelSize(width: 1, height: 1), bytes: 1, limit: 1),
        .pictureTooLarge(size: PixelSize(width: 1, height: 1), limit: 1),
        .notLossless(file: "a", reason: "b"), .panorama(file: "a", reason: "b"),
        .notIndexable(file: "a", reason: "b"), .cannotEncode(format: "jpg", detail: "b"),
        .gainMap(file: "a", reason: "b"),
    ]

    @Test("names only options that the command has", arguments: commands.indices)
    func known(_ index: Int) {
        let (names, _) = Self.commands[index]
        let options = ArgumentLine.options(of: names)
        for error in Self.errors {
            guard let remedy = error.remedy else { continue }
            let text = RemedyText(remedy).available(options)
            for option in Self.options(in: text ?? "") {
                #expect(options.isKnown(option), "\(names) has no \(option)")
            }
            // What the command has stays.
            for option in Self.options(in: remedy) where options.isKnown(option) {
                #expect(text?.contains(option) == true, "\(names): \(text ?? "")")
            }
        }
    }

    @Test(
        "leaves out alternatives that need other options",
        arguments: [
            ("add --gone", nil), ("check the path", "check the path"), ("raise --zoom", "raise --zoom"),
            ("copy it again, or add --gone to see it", "copy it again"),
            ("add --gone to see it, or raise --zoom", "raise --zoom"),
            ("choose a smaller --size, --gone or --zoom", "choose a smaller --size or --zoom"),
            ("choose a smaller --gone, --lost or --zoom if you can", "choose a smaller --zoom if you can"),
            ("use `other --gone` instead", "use `other --gone` instead"),
        ] as [(String, String?)])
    func alternatives(_ remedy: String, _ expected: String?) {
        #expect(RemedyText(remedy).available(ArgumentLine.options(of: ["render"])) == expected)
    }

    /// Commands that read an image, without its name.
    static let readers: [[String]] = [
        ["render", "-s", "9x9", "-o", "o.png"], ["info"], ["pyramid", "-o", "o.dzi"], ["site", "-o", "o"],
        ["thumbnail", "-o", "o.png"], ["index"], ["index", "-o", "o.vpi"],
        ["fly", "--ken-burns", "-s", "9x9", "-o", "o.gif"], ["extract-video", "-o", "o.mp4"],
        ["replay", "-o", "o"],
    ]

    @Test("is that of the command which runs", arguments: readers)
    func running(_ arguments: [String]) async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 304, height: 400).save(folder.path("whole.jpg"), with: "jpegsave")
        let whole = try folder.data("whole.jpg")
        try whole.prefix(whole.count / 2).write(to: folder.url.appendingPathComponent("cut.jpg"))
        try Data(#"<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"/>"#.utf8).write(
            to: folder.url.appendingPathComponent("drawn.svg"))
        let options = ArgumentLine.options(of: arguments)
        for image in ["cut.jpg", "drawn.svg", "none.jpg", "."] {
            let result = try await BuiltProgram("viewport").run(
                arguments + [image], in: folder.url, environment: ["XDG_CACHE_HOME": folder.path("cache")])
            for option in Self.options(in: result.errors) {
                #expect(options.isKnown(option), "\(arguments) \(image): \(result.errors)")
            }
        }
    }
}
