#if CommandLine
#if Library
import ArgumentParser
import Basics
import Files
import Foundation
import PhotoCatalog

/// `viewport library verify`: checks the catalog and the files.
struct LibraryVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check the catalog, and every file against its checksum.",
        discussion: """
            A damaged or missing file is named with the import that it came from and its source.
            Exit code 3: files are damaged or missing. Exit code 65: the catalog is damaged.
            --repair builds a new catalog from the files and keeps albums, picks and
            identifiers as far as they can be read. The damaged catalog is kept under
            another name.
            """,
        examples: [
            "viewport library verify photos": "Check the catalog and all files",
            "viewport library verify photos --repair": "Build a new catalog from the files",
        ])

    @OptionGroup var library: LibraryArguments

    @Flag(help: "Rebuild the catalog from the files.")
    var repair = false

    @Flag(
        name: [.customLong("catalog-only"), .customLong("catalogue-only")],
        help: "Check the catalog only; read no files.")
    var isCatalogOnly = false

    @Flag(help: "Print one line of JSON.")
    var json = false

    func run() async throws {
        if repair { return try await rebuild() }
        let library = try await library.open()
        let faults = try await InterruptibleWork.run("checking the catalog") { line in
            try await library.verifyCatalog { line.show(share: $0, of: $1) }
        }
        let (count, failures) =
            try await isCatalogOnly
            ? (0, [])
            : InterruptibleWork.run("verifying") { line in
                try await library.checkFiles { line.show(share: $0, of: $1) }
            }
        let origins = try await library.origins(of: failures.map { FilePath($0.path) })
        if json {
            print(json: [
                "files": .int(count), "catalog": .array(faults.map(JSONValue.string)),
                "failures": .array(failures.map(\.json)),
                "origins": .array(
                    failures.compactMap { failure in
                        origins[FilePath(failure.path)].map { $0.json(of: failure.path) }
                    }),
            ])
        } else {
            say("\(count - failures.count) of \(count) files are as they were indexed")
        }
        if let first = faults.first {
            throw LibraryError(.damaged(catalog: library.catalogPath, reason: first))
        }
        try reportFailures(failures)
    }

    private func rebuild() async throws {
        let (root, catalog, sidecars) = (library.root, library.catalog, library.sidecars)
        let report = try await InterruptibleWork.run("indexing") { line in
            try await PhotoLibrary.rebuild(root, catalog: catalog, sidecars: sidecars) {
                line.show($0)
            }.report
        }
        if json {
            print(json: [
                "setAside": JSONValue(report.setAside, JSONValue.string),
                "assets": .int(report.assets),
                "albums": .int(report.albums), "members": .int(report.members),
                "index": report.index.json,
            ])
        } else {
            say(
                "rebuilt: \(report.index.sentence); \(report.albums) albums with \(report.members) assets kept"
            )
            if let path = report.setAside { say("the damaged catalog is \(path)") }
        }
        try reportFailures(report.index.failures + report.index.sidecarFaults)
    }
}

extension ImportOrigin {
    fileprivate func json(of path: String) -> JSONValue {
        .object([
            "path": .string(path), "import": .int(Int(id)), "began": .string(date.ISO8601Format()),
            "source": .string(source.text), "removed": .bool(isRemoved),
        ])
    }
}
#endif
#endif
