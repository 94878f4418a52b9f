import ArgumentParser
import Basics
import Files
import PhotoCatalog

/// `viewport library watch`: follows the files and prints what happens.
struct LibraryWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follow the files until a signal ends it; one line of JSON for each notice.",
        discussion: """
            The first line says that the library is set up. Files that are written, moved and removed are noticed \
            within half a second.
            """)

    @OptionGroup var library: LibraryArguments

    func run() async throws {
        let library = try await library.openWithPlaces()
        do {
            try await InterruptibleWork.run {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for try await notice in library.notices { try await Self.show(notice, library) }
                    }
                    group.addTask { try await library.watch { Self.show($0.failures) } }
                    // Whichever ends first ends the other.
                    try await group.next()
                    group.cancelAll()
                }
            }
        } catch is CancellationError {
            return
        }
    }

    private static func show(_ notice: LibraryNotice, _ library: PhotoLibrary) async throws {
        let line: JSONValue
        switch notice {
        case .didSetUp(let groups):
            line = .object([("notice", .string("didSetUp")), ("groups", list(groups))])
        case .reload(let groups): line = .object([("notice", .string("reload")), ("groups", list(groups))])
        case .groupsChanged(let inserted, let updated, let deleted):
            line = .object([
                ("notice", .string("groupsChanged")), ("inserted", list(inserted)),
                ("updated", list(updated)),
                ("deleted", list(deleted)),
            ])
        case .assetsChanged(let inserted, let updated, let removed):
            line = .object([
                ("notice", .string("assetsChanged")),
                ("inserted", .array(try await library.assets(inserted).map { AssetReport(asset: $0).json })),
                ("updated", .array(try await library.assets(updated).map { AssetReport(asset: $0).json })),
                ("removed", .array(removed.map { .int(Int($0)) })),
            ])
        }
        try OutputFile.writeToStandardOutput(Array("\(line)\n".utf8))
    }

    private static func list(_ groups: [AssetGroup]) -> JSONValue { .array(groups.map(\.json)) }

    private static func show(_ failures: [IndexReport.Failure]) {
        for failure in failures { StandardError.write("viewport: \(failure.path): \(failure.reason)\n") }
    }
}
