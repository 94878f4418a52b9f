import ArgumentParser

/// `viewport library`: the photos and videos of a folder, arranged.
struct LibraryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library",
        abstract: "Arrange the photos and videos of a folder.",
        discussion: """
            A library is a folder and a catalog of what is below it, which lies in .viewport-library unless \
            --catalog says otherwise. Files are never changed, moved or removed, but for the sources of \
            `import --move`.
            """,
        subcommands: [
            LibraryInitCommand.self, LibraryImportCommand.self, LibraryIndexCommand.self,
            LibraryWatchCommand.self, LibraryListCommand.self, LibraryGroupsCommand.self,
            LibraryShowCommand.self, LibraryAlbumsCommand.self, LibraryFindCommand.self,
            LibraryPlacesCommand.self, LibraryDuplicatesCommand.self, LibraryExportCommand.self,
            LibraryVerifyCommand.self, LibraryStatsCommand.self, LibrarySheetCommand.self,
        ])
}
