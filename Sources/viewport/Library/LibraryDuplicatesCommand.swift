#if CommandLine
#if Library
import ArgumentParser
import AssetRendering
import Basics
import Files
import Foundation
import PhotoCatalog

/// `viewport library duplicates`: lists equal and similar assets, and moves all but the best to the trash.
struct LibraryDuplicatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "duplicates",
        abstract: "List equal or similar assets, and keep the best of each group.",
        discussion: """
            Equal bytes are found from the checksums in the catalog. For pixels and looks,
            every photo is decoded once, and the result is stored. Pixels can be equal
            although metadata differ. Frames of a burst are not duplicates by looks.

            --dry-run prints a plan: in each group, the file with the most pixels, then the
            most bytes, then the earliest date is kept. Edit the plan where you like: the
            action of a file is keep, trash or leave, that of a group resolve, skip or
            keep-all, which is remembered. --resolve then reads all files again, unites
            albums, words and ratings on the kept files, and renames the others into the
            library's trash, with their sidecars and films. `viewport library undo` moves
            them back. Further names of one file (hard links) stay. Exit code 3: some files
            could not be decoded or moved; nothing is lost.
            """,
        examples: [
            "viewport library duplicates photos": "Files with equal bytes",
            "viewport library duplicates photos --by looks --distance 8": "Photos that look alike",
            "viewport library duplicates photos --dry-run > plan.jsonl": "Plan what goes; edit the plan",
            "viewport library duplicates photos --resolve plan.jsonl": "Carry it out",
        ])

    /// What is compared.
    enum Comparison: String, ExpressibleByArgument, CaseIterable {
        case bytes, pixels, looks
    }

    @OptionGroup var library: LibraryArguments

    @Option(help: "Compare bytes, pixels or looks.")
    var by: Comparison = .bytes

    @Option(help: ArgumentHelp("Maximum number of the 64 bits in which looks differ.", valueName: "bits"))
    var distance = 6

    @Flag(help: "Print a plan of what is kept and what goes; change nothing.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            "Carry out a plan from --dry-run; - reads it from standard input.", valueName: "plan"),
        completion: .file())
    var resolve: String?

    @Option(
        help: ArgumentHelp(
            "Keep all of the group with this asset and do not show it again until it gets a new member; repeat for several.",
            valueName: "asset"))
    var keepAll: [String] = []

    @Flag(help: "Also list groups that are to be kept.")
    var showKept = false

    @Flag(help: "Print one line of JSON per group; for --resolve and --keep-all, one line.")
    var json = false

    func validate() throws {
        try require("--distance", distance, in: 0...64, example: 6)
        let modes = [dryRun, resolve != nil, !keepAll.isEmpty].count { $0 }
        if modes > 1 { throw ValidationError("give one of --dry-run, --resolve and --keep-all") }
        if showKept, modes > 0 { throw ValidationError("--show-kept is for listing only") }
    }

    private var criterion: DuplicateCriterion {
        switch by {
        case .bytes: .bytes
        case .pixels: .pixels
        case .looks: .appearance(distance: distance)
        }
    }

    func run() async throws {
        // The results of decoding are stored.
        let library = try await library.openWithPlaces(asCopy: by != .bytes)
        if let resolve { return try await carryOut(resolve, in: library) }
        let failures = try await makeFingerprints(of: library)
        let (criterion, includesKept) = (criterion, showKept)
        if dryRun {
            let plan = try await InterruptibleWork.run("comparing") { line in
                try await library.planDuplicates(criterion) { line.show($0) }
            }
            try StandardOutput.write(Array(plan.text.utf8))
            return try reportFailures(failures)
        }
        let groups = try await InterruptibleWork.run("comparing") { line in
            try await library.duplicates(criterion, includesKept: includesKept) {
                line.show($0)
            }
        }
        if keepAll.isEmpty { show(groups) } else { try await keep(groups, in: library) }
        try reportFailures(failures)
    }

    /// Decodes photos for the comparison; returns those that cannot be decoded.
    private func makeFingerprints(of library: PhotoLibrary) async throws -> [IndexReport.Failure] {
        guard by != .bytes else { return [] }
        return try await InterruptibleWork.run("decoding") { line in
            try await library.makeFingerprints { line.show($0) }
        }
    }

    private func show(_ groups: [[Asset]]) {
        if json {
            for group in groups {
                let assets = group.map { AssetReport(asset: $0).json }
                print(json: ["by": .string(by.rawValue), "assets": .array(assets)])
            }
            return
        }
        let table = Table(AssetReport.columns)
        for (number, group) in groups.enumerated() {
            let path = AssetIndexPath(entry: number, asset: 0)
            for asset in group {
                table.add(
                    AssetReport(asset: asset, entry: (.number(number + 1), "\(number + 1)", path)).row)
            }
        }
    }

    private func keep(_ groups: [[Asset]], in library: PhotoLibrary) async throws {
        let named = try await library.assets(called: keepAll)
        var kept: [[Asset]] = []
        for asset in named {
            guard let group = groups.first(where: { $0.contains { $0.id == asset.id } }) else {
                throw ValidationError("\(asset.path) is in no group of duplicates by \(by.rawValue)")
            }
            if !kept.contains(where: { $0[0].id == group[0].id }) { kept.append(group) }
        }
        for group in kept { try await library.keepTogether(group.map(\.id)) }
        let count = kept.reduce(0) { $0 + $1.count }
        if json {
            print(json: ["kept": .int(kept.count), "assets": .int(count)])
        } else {
            let groups = kept.count == 1 ? "1 group" : "\(kept.count) groups"
            say("\(groups) with \(count) assets: kept, and not shown again")
        }
    }

    private func carryOut(_ path: String, in library: PhotoLibrary) async throws {
        let plan = try DuplicatePlan(
            parsing: Self.text(of: path), name: PipedInput.shown(path))
        let report = try await InterruptibleWork.run("comparing and moving") { line in
            try await library.resolve(plan) { line.show($0) }
        }
        if json {
            print(report.json)
        } else {
            let kept = report.kept > 0 ? ", \(report.kept) groups are kept" : ""
            let present = report.present > 0 ? ", \(report.present) were there already" : ""
            say(
                "\(report.trashed) assets of \(report.groups) groups are in the trash (\(report.bytes) bytes)"
                    + present + kept)
            if report.trashed > 0 {
                say("`viewport library undo` moves them back, `viewport library trash` removes them for good")
            }
        }
        try reportFailures(report.failures)
    }

    /// Reads a plan; a group of thousands of files is a line of megabytes.
    private static func text(of path: String) throws -> String {
        do throws(FileError) {
            return String(decoding: try PipedInput.text(path, limit: 1 << 30), as: UTF8.self)
        } catch {
            throw LibraryError(.unreadable(file: PipedInput.shown(path), reason: error.description))
        }
    }
}

extension DuplicateReport {
    fileprivate var json: JSONValue {
        .object([
            "groups": .int(groups), "trashed": .int(trashed), "bytes": .int(bytes),
            "present": .int(present), "kept": .int(kept),
            "operation": JSONValue(operation) { .int(Int($0.id)) },
            "failures": .array(failures.map(\.json)),
        ])
    }
}

/// `viewport library trash`: lists and empties the trash.
struct LibraryTrashCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trash",
        abstract: "List the files in the trash of a library, or remove them for good.",
        discussion: """
            The trash is .viewport-library/trash in the folder of the library. Its files are
            moved back by `viewport library undo`, unless they are removed.
            """,
        examples: [
            "viewport library trash photos": "What is in the trash",
            "viewport library trash photos --empty --yes": "Remove it for good",
        ])

    @OptionGroup var library: LibraryArguments

    @Flag(help: "Remove all files in the trash; needs --yes.")
    var empty = false

    @Flag(help: "Confirm that the files are removed for good.")
    var yes = false

    @Flag(help: "Print one line of JSON per file; with --empty, one line.")
    var json = false

    func validate() throws {
        if yes, !empty { throw ValidationError("--yes confirms --empty") }
    }

    func run() async throws {
        let library = try await library.open()
        let files = try await library.trash()
        guard empty else { return show(files) }
        guard yes || files.isEmpty else {
            let bytes = files.reduce(0) { $0 + $1.bytes }
            throw ValidationError(
                "\(files.count) files (\(bytes) bytes) would be removed for good; add --yes to confirm")
        }
        let (count, bytes) = try await library.emptyTrash()
        if json {
            print(json: ["removed": .int(count), "bytes": .int(bytes)])
        } else {
            say("\(count) files with \(bytes) bytes are removed")
        }
    }

    private func show(_ files: [TrashedFile]) {
        let table =
            json ? nil : Table([.init("BYTES", .right, least: 12), .init("MOVED", least: 20), .init("PATH")])
        for file in files {
            let moved = file.date?.ISO8601Format()
            if let table {
                table.add(["\(file.bytes)", moved ?? "-", file.path])
            } else {
                print(json: [
                    "path": .string(file.path), "trashPath": .string(file.trashPath),
                    "bytes": .int(file.bytes), "moved": JSONValue(moved, JSONValue.string),
                ])
            }
        }
    }
}
#endif
#endif
