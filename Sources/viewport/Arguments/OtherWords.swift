#if CommandLine
import ArgumentParser
import Basics
import ViewportRendering

/// Words of other programs, and what does the same here.
///
/// First guesses come from ImageMagick, libvips, exiftool, web servers and photo applications. A word that can only mean
/// one thing is taken for it; for others, the error names the command or the option.
enum OtherWords {
    /// Commands under other names.
    static let commands: [String: [String]] = [
        "thumb": ["thumbnail"], "thumbs": ["thumbnail"], "thumbnails": ["thumbnail"],
        "vipsthumbnail": ["thumbnail"],
        "identify": ["info"], "exif": ["info"], "metadata": ["info"], "inspect": ["info"], "stat": ["info"],
        "tiles": ["pyramid"], "tile": ["pyramid"], "dzsave": ["pyramid"],
        "dzi": ["pyramid", "--layout", "dz"],
        "deepzoom": ["pyramid", "--layout", "dz"], "zoomify": ["pyramid", "--layout", "zoomify"],
        "view": ["show"], "display": ["show"], "cat": ["show"],
        "scale": ["resize"], "cut": ["crop"], "extract": ["crop"],
        "open": ["serve", "--open"], "browse": ["serve", "--open"], "server": ["serve"], "web": ["serve"],
        "gallery": ["site"], "export-site": ["site"],
        "config": ["settings"], "preferences": ["settings"], "prefs": ["settings"],
        "photos": ["library"], "lib": ["library"], "check": ["doctor"],
    ]

    /// Words that need more than another name: what to type.
    static let advice: [String: String] = [
        "import": "viewport library import LIBRARY SOURCE", "list": "viewport library list LIBRARY",
        "ls": "viewport library list LIBRARY", "export": "viewport library export LIBRARY -o FOLDER",
        "search": "viewport library list LIBRARY --where WORDS",
        "find": "viewport library list LIBRARY --where WORDS",
        "rate": "viewport library edit LIBRARY --rating 4 --where QUERY",
        "tag": "viewport library edit LIBRARY --add-keyword WORD --where QUERY",
        "dedupe": "viewport library duplicates LIBRARY", "duplicates": "viewport library duplicates LIBRARY",
        "verify": "viewport library verify LIBRARY, or viewport thumbnail verify RESULTS",
        "undo": "viewport library undo LIBRARY", "watch": "viewport serve LIBRARY --watch",
        "map": "viewport serve LIBRARY --open", "album": "viewport library albums LIBRARY",
        "albums": "viewport library albums LIBRARY",
        "contactsheet": "viewport library sheet LIBRARY -o sheet.png",
        "sheet": "viewport library sheet LIBRARY -o sheet.png",
        "montage":
            "viewport compose PAGE.json --size 1200x800 -o page.png, or viewport library sheet LIBRARY -o sheet.png",
        "rotate": "viewport render IMAGE --rotate 90 -o OUTPUT.jpg",
        "flip": "viewport render IMAGE --flip -o OUTPUT.jpg",
        "mirror": "viewport render IMAGE --flip -o OUTPUT.jpg",
        "strip": "viewport convert IMAGE OUTPUT.jpg --keep-metadata none",
        "optimize": "viewport convert IMAGE OUTPUT.webp -q 80",
        "compress": "viewport convert IMAGE OUTPUT.webp -q 80",
        "srcset": "viewport render IMAGE -s 400 -s 1600 --format avif,webp,jpg --html -o web/",
        "responsive": "viewport render IMAGE -s 400 -s 1600 --format avif,webp,jpg --html -o web/",
        "picture": "viewport render IMAGE -s 400 -s 1600 --format avif,webp,jpg --html -o web/",
        "iiif": "viewport pyramid IMAGE --layout iiif -o FOLDER, or viewport serve IMAGE",
        "zoom": "viewport show IMAGE, or viewport render IMAGE --zoom 2 -o OUTPUT.png",
        "pan": "viewport show IMAGE, or viewport fly IMAGE --ken-burns -o film.webp",
        "batch": "viewport render --manifest LIST -o 'out/{id}.png', or viewport thumbnail --manifest LIST",
        "merge": "viewport thumbnail merge RESULTS…", "clear": "viewport cache clear",
        "animate": "viewport fly IMAGE --ken-burns -o film.webp",
        "video": "viewport fly IMAGE --ken-burns -o film.mp4",
        "gif": "viewport fly IMAGE --ken-burns -o film.gif", "play": "viewport replay SCRIPT",
        "slideshow": "viewport serve FOLDER --open, and the key s there",
        "pdf": "viewport compose PAGE.json --size 1200x800 -o page.pdf",
        "compare": "viewport serve A B --open, and the page /compare/A/B",
        "install": "samples/install in the source",
        "version": "viewport --version", "preview": "viewport show IMAGE, or viewport thumbnail IMAGE",
        "download": "viewport render URL -o FILE.png", "upload": "viewport library import LIBRARY SOURCE",
    ]

    /// Returns what to type for a word that is no command; nil if it has no known meaning.
    static func advice(for word: String) -> String? { advice[word.lowercased()] }

    /// Options under other names, where the command has the named one and not the other.
    private static let options: [String: String] = [
        "--outdir": "--output", "--output-dir": "--output", "--out": "--output", "--dest": "--output",
        "--output-folder": "--output", "--recurse": "--recursive", "-R": "--recursive",
        "--threads": "--jobs", "--workers": "--jobs", "--parallel": "--jobs", "-j": "--jobs",
        "--resample": "--kernel", "--resampling": "--kernel", "--filter": "--kernel",
        "--interpolation": "--kernel", "--angle": "--rotate", "--region": "--rect", "--geometry": "--rect",
        "--resize": "--size", "--force": "--overwrite",
        "--output-format": "--format", "--type": "--format", "--ext": "--format",
        "--colorspace": "--color", "--bit-depth": "--depth", "--bg": "--background",
        "--listen": "--host", "--bind": "--host", "-p": "--port", "--manifest-file": "--manifest",
        "-n": "--count", "--number": "--count", "--num": "--count", "--frame": "--page",
        "--tilesize": "--tile-size", "--tile_size": "--tile-size",
    ]

    /// Flags of what is the default here.
    private static let usual: Set<String> = [
        "--strip", "--no-metadata", "--auto-orient", "--autorotate", "--progress",
    ]

    /// What to do instead of an option that has no counterpart.
    private static let remedies: [String: String] = [
        "--dpi": "pixels are counted, not inches: give --size in pixels",
        "--density": "pixels are counted, not inches: give --size in pixels",
        "--resolution": "pixels are counted, not inches: give --size in pixels",
        "--ppi": "pixels are counted, not inches: give --size in pixels",
        "--gravity": "give --center X,Y, or `thumbnail --crop` for the part to keep",
        "--verbose": "--json reports what was done",
        "-v": "--json reports what was done; --version is the version",
        "--debug": "--json reports what was done",
        "--sharpen": "kernels are sharp enough for their scale: choose one with --kernel",
        "--resize-mode": "give --content-mode",
        "--progressive": "only baseline JPEGs are written: they can be read in parts",
        "--interlace": "only baseline JPEGs are written: they can be read in parts",
    ]

    /// Replaces the words of others among the arguments of a command.
    static func replaced(in arguments: [String], of command: any ParsableCommand.Type) -> [String] {
        guard arguments.contains(where: isOther) else { return arguments }
        let known = OptionNames(of: command)
        var result: [String] = []
        var (width, height): (String?, String?) = (nil, nil)
        var index = 0
        // What follows -- are paths.
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        while index < end {
            let argument = arguments[index]
            index += 1
            let name = String(argument.prefix { $0 != "=" })
            let value = argument.dropFirst(name.count)
            guard isOther(argument), !known.isKnown(name) || name == "--crop" else {
                result.append(argument)
                continue
            }
            if name == "--width" || name == "--height", known.isKnown("--size") {
                var side = value.isEmpty ? nil : String(value.dropFirst())
                if side == nil, index < end {
                    side = arguments[index]
                    index += 1
                }
                if name == "--width" { width = side } else { height = side }
            } else if usual.contains(name), value.isEmpty {
                continue
            } else if name == "--crop", known.isKnown("--rect"), value.isEmpty, index < end,
                ImageRect(argument: arguments[index]) != nil
            {
                // Here, the rectangle has an option of its own.
                result.append("--rect")
            } else if let other = options[name], known.isKnown(other) {
                result.append(other + value)
            } else {
                result.append(argument)
            }
        }
        result += arguments[end...]
        guard width != nil || height != nil else { return result }
        return ["--size=\(width ?? "")x\(height ?? "")"] + result
    }

    private static func isOther(_ argument: String) -> Bool {
        let name = String(argument.prefix { $0 != "=" })
        return options[name] != nil || usual.contains(name)
            || ["--width", "--height", "--crop"].contains(name)
    }

    /// Returns the sentence for an option that a command does not have.
    static func sentence(forUnknown option: String, of command: any ParsableCommand.Type) -> String {
        let start =
            "\(ValidationError.printable(option)) is not an option of `\(ViewportCommand.line(of: command))`"
        if let remedy = remedies[option] { return "\(start): \(remedy)" }
        let own = OptionNames(of: command).all.flatMap(\.names)
        // "--crop-format" for "--format".
        let word = "-\(option.drop { $0 == "-" })"
        if word.count > 2, let longer = own.first(where: { $0.hasSuffix(word) && $0 != option }) {
            return "\(start); did you mean \(longer)?"
        }
        if let other = options[option] {
            let owners = ViewportCommand.owners(of: other)
            if !owners.isEmpty { return "\(start); \(other) of \(owners) does that" }
        }
        let owners = ViewportCommand.owners(of: option)
        if !owners.isEmpty { return "\(start), but of \(owners)" }
        if let near = Suggestion.nearest(to: option, of: own), !isFar(option, near) {
            return "\(start); did you mean \(near)?"
        }
        return "\(start): `viewport help \(ViewportCommand.line(of: command).dropFirst(9))` lists them"
    }

    /// Whether two options share too few letters to be a typing error.
    private static func isFar(_ option: String, _ near: String) -> Bool {
        option.dropFirst(2).first != near.dropFirst(2).first && min(option.count, near.count) < 8
    }
}

extension ViewportCommand {
    /// Returns the words that run a command: "viewport library list".
    static func line(of command: any ParsableCommand.Type) -> String {
        func path(_ parent: any ParsableCommand.Type) -> [String]? {
            if parent == command { return [parent._commandName] }
            for child in parent.configuration.subcommands {
                if let path = path(child) { return [parent._commandName] + path }
            }
            return nil
        }
        return (path(self) ?? ["viewport"]).joined(separator: " ")
    }

    /// Returns the commands that have an option: "`viewport render` and `viewport fly`"; empty if there is none.
    static func owners(of option: String) -> String {
        func all(_ parent: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
            let children = parent.configuration.subcommands
            return children.isEmpty ? [parent] : children.flatMap(all)
        }
        return all(self).filter { OptionNames(of: $0).isKnown(option) }.prefix(3).map { "`\(line(of: $0))`" }
            .listed("and")
    }
}
#endif
