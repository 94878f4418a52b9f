import Foundation
import TestSupport
import Testing

/// Finds paths that are compared, grouped, sorted or split as `String`, which does not tell names apart that are equal
/// after Unicode normalization.
@Suite("Paths in the sources")
struct PathComparisonTests {
    /// Files where such lines hold no paths as texts, and what they hold.
    static let others: [String: String] = [
        "ImageMetadata/Words/XMPEditor.swift": "names of XMP properties",
        "ImageMetadata/Words/XMPLayout.swift": "names of XMP properties",
        "ImageMetadata/Words/XMPPacket+Joining.swift": "names of XMP namespaces",
        "ImageMetadata/Words/XMPPacket+Properties.swift": "names of XMP properties",
        "Files/SystemEntry.swift": "names that systems give, in ASCII",
        "AssetCatalog/Assets/Companions.swift": "values of FilePath",
        "AssetCatalog/Editing/PhotoLibrary+Trash.swift": "values of FilePath",
        "PhotoImport/Importing/ImportPlanner.swift": "values of FilePath",
        "PhotoImport/Importing/SourceListing.swift": "values of FilePath",
        "PhotoImport/Checking/SourceChecker.swift": "values of FilePath",
        "PhotoImport/Flickr/FlickrExport.swift": "values of FilePath, and identifiers of digits",
        "PhotoImport/Importing/SourceFolders.swift": "values of FilePath",
        "LibraryMaintenance/Repairing/PhotoLibrary+Examining.swift": "values of FilePath",
        "PhotoImport/Takeout/TakeoutMatcher.swift": "values of FilePath",
        "ExportDocuments/TakeoutSidecar.swift": "entities of HTML",
        "AssetCatalog/Thumbnails/ThumbnailRun.swift": "values of FilePath",
        "AssetCatalog/Watching/PhotoLibrary+Watching.swift": "values of FilePath",
        "Basics/JSONReader.swift": "members of an object, of which equal ones are refused",
        "ImageMetadata/Containers/HEIFItems.swift": "numbers of items",
        "ImageMetadata/Words/SidecarEdit.swift": "names of XMP properties",
        "LibraryServing/LibraryPages.swift": "names of embedded files",
        "PageComposition/Laying/PageComposer.swift": "names of views",
        "PageComposition/Reading/LayoutFile.swift": "keys of a layout",
        "PyramidExport/OutputPaths.swift": "the order in the marks of earlier versions",
        "RemoteFiles/RemoteAddress.swift": "percent-encoded URLs",
        "RemoteFiles/S3Settings.swift": "keys of a settings file",
        "Replay/ScriptLine.swift": "keys of a script",
        "Replay/ScriptSetup.swift": "keys of a script",
        "TilePyramid/DeepZoomDescriptor.swift": "numbers of tiles",
        "TilePyramid/IIIFRequest.swift": "parameters of a request",
        "TileServing/Access/RequestOrigin.swift": "host names",
        "TileServing/Metrics/PrometheusRegistry.swift": "names of metrics",
        "ViewerPages/PageFiles.swift": "names of embedded files",
        "ViewerPages/ViewerPage.swift": "names of embedded files",
        "Pictures/Color.swift": "names of colors",
        "Vips/VipsLibrary.swift": "the path of a library of the system",
        "viewport/Arguments/ArgumentLine.swift": "names of options",
    ]

    private static let comparison = expression(
        #"Set<(String|Substring)>|\[(String|Substring): |(LRUCache|RequestCoalescer)<String|\.sorted\(\)"#
            + #"|\$0(\.\w+)* < \$1|split\(separator: "/"|(last|first)Index\(of: "/"\)"#)
    private static let path = expression(
        #"(?i)path|file|folder|name|url|entry|entries|identifier|address|(?<![.\w])ids?\b"#)
    /// Numbers of directories, and options of libvips.
    private static let other = expression(#"FilePath|VipsArgument|\$0\.(key|tag) <"#)

    // Not `Regex`, which takes seconds for all sources.
    private static func expression(_ pattern: String) -> NSRegularExpression {
        // The patterns are those above.
        try! NSRegularExpression(pattern: pattern)
    }

    /// A line of a file that compares, groups, sorts or splits texts whose names are those of paths.
    struct Finding {
        var file: String
        var line: Int
        var text: String
    }

    /// Returns the findings in a text.
    static func findings(in text: String, of file: String) -> [Finding] {
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
            index, line in
            let isCode = !line.drop { $0 == " " }.hasPrefix("//")
            let text = String(line)
            guard isCode, comparison.matches(text), path.matches(text), !other.matches(text) else {
                return nil
            }
            return Finding(file: file, line: index + 1, text: text)
        }
    }

    @Test("are compared, grouped, sorted and split as FilePath")
    func sources() throws {
        var seen: Set<String> = []
        for file in try SourceFile.below(["Sources"]) {
            // The floors are left out: they say nothing of what is in a file.
            let path = file.path.dropFirst(file.path[1] == "viewport" ? 1 : 2).joined(separator: "/")
            let findings = Self.findings(in: file.text, of: path)
            if !findings.isEmpty { seen.insert(path) }
            guard Self.others[path] == nil else { continue }
            for finding in findings {
                Issue.record("\(finding.file):\(finding.line): use FilePath: \(finding.text)")
            }
        }
        #expect(!seen.isEmpty)
        let unneeded = Self.others.keys.filter { !seen.contains($0) }
        #expect(unneeded.isEmpty, "remove them from the list: \(unneeded)")
    }

    @Test(
        "are found where they are texts",
        arguments: [
            "    private var paths: Set<String> = []", "    var folders: [String: Folder] = [:]",
            "    var open: LRUCache<String, OpenFile>  // by path", "    return names.sorted()",
            "    entries.sorted { $0.name < $1.name }", "    let names = path.split(separator: \"/\")",
            "    guard let slash = path.lastIndex(of: \"/\") else { return nil }",
            "    let ids: Set<Substring>",
        ])
    func found(_ line: String) { #expect(Self.findings(in: line, of: "").count == 1) }

    @Test(
        "are not found in other lines",
        arguments: [
            "    // Set<String> of paths", "    let endings: Set<String> = [\"jpg\"]",
            "    let paths: Set<FilePath> = []", "    numbers.sorted()",
            "    entries.sorted { FilePath($0.name) < FilePath($1.name) }",
        ])
    func passed(_ line: String) { #expect(Self.findings(in: line, of: "").isEmpty) }
}
