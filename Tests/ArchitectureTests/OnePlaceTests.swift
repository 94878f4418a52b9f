import Foundation
import Testing

/// The extensions of common types, as a part of a pattern.
private let extensions =
    "jpe?g|jpe|jfif|png|gif|webp|tiff?|heic|heif|hif|avif|jxl|jp2|j2k|bmp|svgz?|pdf|psd|mp4|m4v|mov|mkv|webm|avi|mts"
    + "|nef|nrw|cr2|cr3|dng|arw|raf|orf|xmp|aae|thm"

/// Checks that what the whole package shares is asked of the system in one place.
@Suite("One place")
struct OnePlaceTests {
    /// Returns the lines of code below Sources, without comments, that match a pattern.
    private static func places(_ pattern: String, below folder: String = "") throws -> Set<String> {
        // Not `Regex`, which takes seconds for all sources.
        let expression = try NSRegularExpression(pattern: pattern)
        let files = try sources.get().filter { folder.isEmpty || $0.path.first == folder }
        return Set(
            files.filter { file in
                expression.matches(file.code)
                    && file.code.split(separator: "\n").contains { expression.matches(String($0)) }
            }.map { $0.path.suffix(2).joined(separator: "/") })
    }

    /// The path below Sources, and the code, of each file.
    private static let sources = Result {
        try SourceFile.below(["Sources"]).map { (path: Array($0.path.dropFirst()), code: $0.code) }
    }

    @Test("counts the processors")
    func processors() throws {
        let ways = [
            "_SC_NPROCESSORS", "[pP]rocessorCount", "coreCount", "sched_getaffinity", "hardware_concurrency",
        ]
        #expect(try Self.places(ways.joined(separator: "|")) == ["Basics/Processors.swift"])
    }

    @Test("works on several threads")
    func threads() throws {
        #expect(try Self.places("concurrentPerform") == [])
        // On Linux, they share the threads of Swift's tasks.
        #expect(try Self.places(#"DispatchQueue\.global|attributes: \.concurrent"#) == [])
    }

    @Test("writes to standard output in the program")
    func standardOutput() throws {
        #expect(
            try Self.places("writeToStandardOutput|closeStandardOutput", below: "viewport")
                == ["Reporting/StandardStreams.swift"])
        let descriptors = try Self.places("STDOUT_FILENO")
        #expect(
            descriptors.isSubset(of: [
                "Files/OutputFile.swift", "Files/ProcessEnvironment.swift", "Reporting/StandardStreams.swift",
            ]))
        let others = [
            #"Swift\.print"#, #"FileHandle\.standardOutput"#, #"\bstdout\b"#, #"\bf?puts\("#, #"\bfwrite\("#,
            #"\bfflush\("#, #"\bputchar\("#, #"\bv?printf\("#, #"\bdebugPrint\("#, #"\bdump\("#,
            #"\bNSLog\("#,
            #"\.exit\(withError"#, #"/dev/(stdout|fd/1)"#,
        ]
        #expect(try Self.places(others.joined(separator: "|")) == [])
    }

    @Test("prints in the program, not in libraries")
    func libraries() throws {
        for target in Set(try Self.sources.get().map { $0.path[0] }) where target != "viewport" {
            #expect(try Self.places(#"\bprint\("#, below: target) == [], "\(target)")
        }
        // With several values, or a separator, it would be the one of the standard library.
        #expect(try Self.places(#"\bprint\(.*(separator|terminator): "#, below: "viewport") == [])
    }

    /// Returns the files below Sources, without those of targets, whose code matches a pattern, also over several lines.
    private static func files(_ pattern: String, except targets: Set<String>) throws -> Set<String> {
        let expression = try NSRegularExpression(pattern: pattern)
        return Set(
            try sources.get().filter { targets.isDisjoint(with: $0.path) && expression.matches($0.code) }
                .compactMap(\.path.last))
    }

    @Test(
        "knows file types and walks over containers in Containers",
        arguments: [
            // First bytes of files, as numbers and as text.
            #"0xFF, ?0xD[89]\b|0xFFD[89]\b|0xFF4F|0xFF, ?0x4F|0xFF0A|0xFF, ?0x0A|0x89, ?0x50|0x8950|0x0A1A_?0A0D"#,
            #"0x4949|0x4D4D|0x49, ?0x49|0x4D, ?0x4D|"(II|MM)("|\*|\+|\\0)|0x1A45|0x1A, ?0x45|0x42, ?0x4D"#,
            #""(GIF8|RIFF"|8BPS|SIMPLE|#\?RAD)"#,
            // Brands.
            #""(ftyp|heix|heim|heis|hev[cxms]|mif[12]|msf1|miaf|avi[so]|MA1[AB]|qt {1,2}|crx |jp2 |jpx |jxl )""#,
            // Three extensions in a row are a list.
            "\"(?:\(extensions))\"(?:\\s*,\\s*\"(?:\(extensions))\"){2,}",
            // Media types, and the operations of libvips that read a type.
            #""(image|video)/(?!svg)[a-z0-9-]+""#,
            #""(jpeg|png|tiff|webp|gif|heif|jp2k|jxl|svg|pdf|openslide|ppm|rad|fits|openexr|magick)load""#,
            // Frames among the markers of JPEGs, and lengths of RIFF chunks.
            "0xC4, ?0xC8, ?0xCC", "8 \\+ (length|size)", "(length|size) (%|&) [12]\\b",
        ])
    func containers(_ pattern: String) throws {
        #expect(try Self.files(pattern, except: ["Containers"]) == [])
    }

    @Test("looks for markers of JPEGs in Containers, and in compressed data where JPEGs are indexed")
    func markers() throws {
        let found = try Self.files("== 0xFF\\b", except: ["Containers", "JPEGIndexing", "JPEGIndexingWeb"])
        // Addresses of networks.
        #expect(found == ["PrivateAddress.swift"])
    }
}
