internal import Archives
internal import Basics
internal import Containers
package import Files

/// The predictions of tiles, by their numbers: files of folders, and members of tar archives.
package struct TileFiles: Sendable {
    /// A tile's file, or its place in an archive.
    struct Tile: Sendable {
        let input: Int
        /// Its name in an archive; nil for a file of its own.
        let member: String?
        let range: Range<Int>
    }

    /// Files and archives.
    private var inputs: [String] = []
    private var tiles: [Int: Tile] = [:]
    private let recipe: String
    private let count: Int
    /// What follows the key: "npy", "mask.png"; nil for npy and png.
    private let ending: String?

    /// Looks for the predictions of a grid.
    ///
    /// - Parameters:
    ///   - ending: what follows the first point of their names; nil for npy and png.
    ///   - recipe: that of the grid, whose beginning is in the keys of its crops.
    /// - Throws: `StitchError` for files that are no tiles of the grid, and for two of the same one.
    package init(_ paths: [String], ending: String?, recipe: String, count: Int) throws {
        (self.recipe, self.count, self.ending) = (recipe, count, ending)
        for path in paths {
            if Folder.isFolder(path, followingLinks: true) {
                for name in try StitchError.naming(
                    path, { () throws(FileError) in try Folder.listing(of: path) })
                where !name.hasSuffix("/") {
                    try add(file: "\(path)/\(name)", named: name)
                }
            } else if FilePath(path).fileExtension?.text.lowercased() == "tar" {
                try add(archive: path)
            } else {
                try add(file: path, named: FilePath(path).name.text, isGiven: true)
            }
        }
    }

    /// Returns the first tiles that are missing, at most three.
    package var missing: [Int] {
        guard tiles.count < count else { return [] }
        return Array((0..<count).lazy.filter { tiles[$0] == nil }.prefix(3))
    }

    /// The number of tiles that are missing.
    package var missingCount: Int { count - tiles.count }

    /// The number of the first tile; nil without any.
    var first: Int? { tiles.keys.min() }

    private mutating func add(file path: String, named name: String, isGiven: Bool = false) throws {
        guard let number = try number(name, in: path, isGiven: isGiven) else { return }
        let size = FileStatus(path)?.size ?? 0
        inputs.append(path)
        try add(Tile(input: inputs.count - 1, member: nil, range: 0..<size), number)
    }

    private mutating func add(archive path: String) throws {
        inputs.append(path)
        let input = inputs.count - 1
        let file = try StitchError.naming(path) { () throws(FileError) in try OpenFile(path) }
        let bytes = FileBytes(file)
        var (offset, isEnded) = (0, false)
        while offset + TarMember.block <= bytes.count {
            let header = bytes.extracting(offset..<(offset + TarMember.block)).array
            guard header.contains(where: { $0 != 0 }) else {
                isEnded = true
                break
            }
            guard let member = TarMember(header: header), offset + member.length <= bytes.count else { break }
            let start = offset + TarMember.block
            offset += member.length
            // Names of other types are no files: those that describe the next one, folders, links.
            guard header[156] == 0x30 || header[156] == 0 else { continue }
            let name = FilePath(member.name).name.text
            guard let number = try number(name, in: "\(path): \(member.name)") else { continue }
            try add(Tile(input: input, member: member.name, range: start..<(start + member.size)), number)
        }
        guard isEnded else { throw StitchError.notWhole(path) }
        try StitchError.naming(path) { () throws(FileError) in try bytes.check() }
    }

    private mutating func add(_ tile: Tile, _ number: Int) throws(StitchError) {
        if let other = tiles.updateValue(tile, forKey: number) {
            throw .twice(number, name(other), name(tile))
        }
    }

    /// The number in a name such as "0012-1a2b3c4d.npy"; nil for files that are no predictions.
    private func number(_ name: String, in place: String, isGiven: Bool = false) throws(StitchError) -> Int? {
        let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let own = parts.count == 2 ? parts[1].lowercased() : ""
        guard ending.map({ own == $0.lowercased() }) ?? (own == "npy" || own == "png") else {
            guard isGiven else { return nil }
            throw .notTile(place, "its name does not end in \(ending.map { ".\($0)" } ?? ".npy or .png")")
        }
        let key = parts[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let digits = key.first, !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }),
            let number = Int(digits)
        else { throw .notTile(place, "its name does not begin with the number of a tile") }
        if key.count == 2, key[1] != recipe.prefix(8) {
            throw .notTile(place, "is of another grid: its key ends in \(key[1]), not in \(recipe.prefix(8))")
        }
        guard number < count else { throw .notTile(place, "the grid has tiles 0 to \(count - 1)") }
        return number
    }

    private func name(_ tile: Tile) -> String {
        tile.member.map { "\(inputs[tile.input]): \($0)" } ?? inputs[tile.input]
    }

    /// Returns the name and the bytes of a tile; nil if it is missing.
    func contents(_ number: Int) throws -> (name: String, bytes: [UInt8])? {
        guard let tile = tiles[number] else { return nil }
        let path = inputs[tile.input]
        let bytes = try StitchError.naming(path) { () throws(FileError) in
            try OpenFile(path).bytes(tile.range)
        }
        return (name(tile), bytes)
    }
}

/// Why tiles could not be joined.
package enum StitchError: Error, Sendable, CustomStringConvertible {
    case unreadable(String, FileError)
    /// The description of a grid.
    case badGrid(String)
    /// A tar archive without its end.
    case notWhole(String)
    case notTile(String, String)
    case twice(Int, String, String)
    case missing([Int], of: Int, count: Int)
    /// A tile of another shape or type, and why.
    case mismatch(String, String)
    case unwritable(String, FileError)
    /// A format that cannot keep the values.
    case unfit(String)

    static func naming<R>(_ path: String, _ body: () throws(FileError) -> R) throws(StitchError) -> R {
        do throws(FileError) {
            return try body()
        } catch {
            throw .unreadable(path, error)
        }
    }

    /// A sentence with the file and the cause.
    package var description: String {
        switch self {
        case .unreadable(let path, let error), .unwritable(let path, let error):
            "\(FilePath(path)): \(error.description)"
        case .badGrid(let path):
            "\(FilePath(path)): is no description of a grid; give the NAME_grid.json that crops --grid has written"
        case .notWhole(let path): "\(FilePath(path)): the archive has no end; write it again"
        case .notTile(let path, let reason), .mismatch(let path, let reason): "\(FilePath(path)): \(reason)"
        case .twice(let number, let one, let other):
            "tile \(number) is there twice: \(FilePath(one)) and \(FilePath(other)); --ending selects one kind"
        case .missing(let first, let missing, let count):
            "\(missing) of \(count) tiles are missing: \(first.map { "\($0)" }.joined(separator: ", "))\(missing > first.count ? ", …" : ""); --fill 0 fills their places"
        case .unfit(let reason): reason
        }
    }
}
