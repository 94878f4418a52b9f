#if CommandLine
#if Library
import ArgumentParser
import Basics
import PhotoCatalog

/// `viewport library albums`: lists and changes albums.
struct LibraryAlbumsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "albums",
        abstract: "List, create and change albums; Picks always exists.",
        examples: [
            "viewport library albums photos": "List the albums",
            "viewport library albums add photos Picks trip/c.jpg": "Pick a photo",
        ],
        subcommands: [List.self, Create.self, Delete.self, Rename.self, Add.self, Remove.self],
        defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the albums.",
            examples: [
                "viewport library albums photos": "Name and number of assets of each album",
                "viewport library albums list photos --json": "One line of JSON per album",
            ])

        @OptionGroup var library: LibraryArguments
        @Flag(help: "Print one line of JSON per album.")
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
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create an empty album.",
            examples: [
                "viewport library albums create photos Hikes": "Create the album Hikes",
                "viewport library albums create photos 'Best of 2024' --json": "Report it as JSON",
            ])

        @OptionGroup var album: AlbumArguments

        func run() async throws {
            try await album.change { library, name in
                _ = try await library.createAlbum(name)
                return name
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete an album; its assets stay.",
            examples: [
                "viewport library albums delete photos Hikes": "Delete the album Hikes",
                "viewport library albums delete photos Hikes --json": "Report it as JSON",
            ])

        @OptionGroup var album: AlbumArguments

        func run() async throws {
            try await album.change { library, name in
                try await library.deleteAlbum(library.album(called: name).id)
                return nil
            }
        }
    }

    struct Rename: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename",
            abstract: "Rename an album.",
            examples: [
                "viewport library albums rename photos Hikes Walks": "Rename Hikes to Walks",
                "viewport library albums rename photos Hikes Walks --json": "Report it as JSON",
            ])

        @OptionGroup var album: AlbumArguments
        @Argument(help: "The new name.") var newName: String

        func run() async throws {
            try await album.change { library, name in
                try await library.renameAlbum(library.album(called: name).id, to: newName)
                return newName
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add assets to an album.",
            examples: [
                "viewport library albums add photos Hikes a.jpg trip/c.jpg": "By path",
                "viewport library albums add photos Hikes 17 18": "By identifier, as `library list` shows it",
            ])

        @OptionGroup var members: AlbumMemberArguments

        func run() async throws {
            try await members.change { try await $0.add($1, to: $2) }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove assets from an album.",
            examples: [
                "viewport library albums remove photos Hikes a.jpg": "By path; the file stays",
                "viewport library albums remove photos Hikes 17 18": "By identifier",
            ])

        @OptionGroup var members: AlbumMemberArguments

        func run() async throws {
            try await members.change { try await $0.remove($1, from: $2) }
        }
    }
}

/// An album of a library to change.
struct AlbumArguments: ParsableArguments {
    @OptionGroup var library: LibraryArguments
    @Argument(help: "The name of the album.", completion: AlbumCompletion.names) var name: String
    @Flag(help: "Print the changed album as one line of JSON.")
    var json = false

    /// Changes the album and reports it.
    ///
    /// - Parameter body: returns the new name of the album; nil if it was deleted.
    func change(_ body: (PhotoLibrary, String) async throws -> String?) async throws {
        let library = try await library.open()
        let left = try await body(library, name)
        guard json else { return }
        guard let left else {
            return print(json: ["name": .string(name), "deleted": .bool(true)])
        }
        print(try await library.album(called: left).json)
    }
}

/// An album, and assets to add to it or to remove from it.
struct AlbumMemberArguments: ParsableArguments {
    @OptionGroup var album: AlbumArguments
    @Argument(help: "Identifiers, file names, or paths below the library's folder.")
    var assets: [String]

    /// Changes which assets are in the album, and reports it.
    func change(
        _ body: (PhotoLibrary, [Asset.ID], AssetGroup.ID) async throws -> Void
    ) async throws {
        try await album.change { library, name in
            let ids = try await library.assets(called: assets).map(\.id)
            try await body(library, ids, library.album(called: name).id)
            return name
        }
    }
}
#endif
#endif
