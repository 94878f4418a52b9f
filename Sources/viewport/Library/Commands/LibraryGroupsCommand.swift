import ArgumentParser
import Basics
import PhotoCatalog

/// `viewport library groups`: everything, the picks, albums and folders.
struct LibraryGroupsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "groups", abstract: "List albums and folders with what they hold.")

    @OptionGroup var library: LibraryArguments

    @Flag(help: "One line of JSON for each.")
    var json = false

    func run() async throws {
        let groups = try await library.open().groups()
        if json { return groups.forEach { print($0.json) } }
        let table = Table([
            .init("KIND", least: 6), .init("COUNT", .right, least: 8), .init("BYTES", .right, least: 14),
            .init("NAME"),
        ])
        for group in groups {
            table.add([group.kind.rawValue, "\(group.count)", "\(group.bytes)", group.name])
        }
    }
}

extension AssetGroup {
    var json: JSONValue {
        .object([
            ("kind", .string(kind.rawValue)), ("name", .string(name)), ("count", .int(count)),
            ("bytes", .int(bytes)),
        ])
    }
}
