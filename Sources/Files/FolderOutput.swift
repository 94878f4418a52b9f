/// A folder that a command writes as a whole, under the rule of `Output`.
///
/// It never takes the place of a folder that an input lies in, nor of one that holds other things; one of its own
/// kind goes only where this program made all that is in it, or the user says so.
package struct FolderOutput: Sendable {
    private let path: String
    private let inputs: [String]
    private let overwrites: Bool
    private let isSameKind: @Sendable (String) -> Bool
    private let isOwn: @Sendable (String) -> Bool

    package init(
        _ path: String, inputs: [String], overwrites: Bool, isSameKind: @escaping @Sendable (String) -> Bool,
        isOwn: @escaping @Sendable (String) -> Bool
    ) {
        self.path = path
        self.inputs = inputs
        self.overwrites = overwrites
        self.isSameKind = isSameKind
        self.isOwn = isOwn
    }

    /// Finds what would stop the folder from appearing, before work is put into it.
    package func check() throws(FileError) {
        let target = try FileIdentity.target(of: path)
        try checkReplacing(target, at: target)
    }

    /// Moves a finished folder to its place; what stood there is then at the hidden path.
    package func publish(_ hidden: String) throws(FileError) {
        let target = try FileIdentity.target(of: path)
        for _ in 0..<100 {
            try checkReplacing(target, at: target)
            if !OutputFolder.isThere(target) {
                Folder.removeEmpty(target)
                if try Renaming.toNewName(hidden, target) { return }
                continue
            }
            let old = FileIdentity(target)
            guard try Renaming.exchange(hidden, target) else {
                try Folder.move(target, to: "\(hidden)-replaced")
                return try Folder.move(hidden, to: target)
            }
            do throws(FileError) {
                guard FileIdentity(hidden) == old else { throw .exists }
                return try checkReplacing(target, at: hidden)
            } catch {
                // Somebody wrote there since the look.
                _ = try Renaming.exchange(hidden, target)
            }
        }
        throw .unwritable("other programs write there all the time")
    }

    /// - Parameter place: where the folder that stands at the target is now.
    private func checkReplacing(_ target: String, at place: String) throws(FileError) {
        guard OutputFolder.isThere(place) else { return }
        guard Folder.isFolder(place), let identity = FileIdentity(place) else {
            throw .kept("is a file and would become a folder; choose another name")
        }
        if let input = inputs.first(where: { FileIdentity.folders(above: $0).contains(identity) }) {
            throw .kept("holds the input \(input), which would go with it; choose another name")
        }
        guard isSameKind(place) else {
            throw .kept("is a folder of other things, which are never replaced; choose another name")
        }
        guard overwrites || isOwn(place) else { throw .exists }
    }
}
