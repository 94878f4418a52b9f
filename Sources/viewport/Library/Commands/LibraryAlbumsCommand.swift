import ArgumentParser
import PhotoLibrary

/// `viewport library albums`: chosen assets under a name.
struct LibraryAlbumsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "albums",
        abstract: "Make albums and say what is in them; Picks is always there.",
        subcommands: [List.self, Create.self, Delete.self, Rename.self, Add.self, Remove.self],
        defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the albums.")

        @OptionGroup var library: LibraryArguments
        @Flag(help: "One line of JSON for each.")
        var json = false

        func run() async throws {
            let albums = try await library.open().groups().filter { $0.kind == .album || $0.kind == .picks }
            if json { return albums.forEach { print($0.json) } }
            let table = Table([
                .init("COUNT", .right, least: 8), .init("BYTES", .right, least: 14), .init("NAME"),
            ])
            for album in albums { table.add(["\(album.count)", "\(album.bytes)", album.name]) }
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Make an empty album.")

        @OptionGroup var library: LibraryArguments
        @Argument var name: String

        func run() async throws { try await library.open().createAlbum(name) }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete an album; its assets stay.")

        @OptionGroup var library: LibraryArguments
        @Argument var name: String

        func run() async throws {
            let library = try await library.open()
            try await library.deleteAlbum(library.album(called: name).id)
        }
    }

    struct Rename: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Give an album another name.")

        @OptionGroup var library: LibraryArguments
        @Argument var name: String
        @Argument var newName: String

        func run() async throws {
            let library = try await library.open()
            try await library.renameAlbum(library.album(called: name).id, to: newName)
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Add assets to an album.")

        @OptionGroup var library: LibraryArguments
        @Argument var name: String
        @Argument(help: "Identifiers, or paths below the library's folder.")
        var assets: [String]

        func run() async throws {
            let library = try await library.open()
            let ids = try await library.assets(called: assets).map(\.id)
            try await library.add(ids, to: library.album(called: name).id)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Take assets out of an album.")

        @OptionGroup var library: LibraryArguments
        @Argument var name: String
        @Argument(help: "Identifiers, or paths below the library's folder.")
        var assets: [String]

        func run() async throws {
            let library = try await library.open()
            let ids = try await library.assets(called: assets).map(\.id)
            try await library.remove(ids, from: library.album(called: name).id)
        }
    }
}
