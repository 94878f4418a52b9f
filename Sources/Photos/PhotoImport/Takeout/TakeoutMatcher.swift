internal import ExportDocuments
internal import Files

/// Assigns the sidecars of a Takeout folder to its photos and videos.
///
/// Names decide, the strongest form first: the whole name, the name with its number in another place, the title in the
/// sidecar, the beginning of a name that was cut. Edited copies and the videos of live photos share the sidecar of their
/// original.
struct TakeoutMatcher {
    /// A sidecar to assign.
    struct Sidecar {
        var file: SourceFile
        var name: TakeoutSidecarName
        var content: TakeoutSidecar
    }

    /// The sidecar of each file, by number.
    private(set) var sidecarOf: [Int: Int] = [:]
    /// The file that each file belongs to: of an edited copy, or the video of a live photo.
    private(set) var originalOf: [Int: Int] = [:]
    /// Why a sidecar that could belong to several files was not assigned.
    private(set) var reasons: [Int: String] = [:]

    /// The files that are edited copies of another one.
    private(set) var editedCopies: Set<Int> = []
    /// The words of edited copies that are in no table.
    private(set) var usedWords: Set<String> = []

    private let media: [SourceFile]
    private let words: TakeoutWords
    private let names: [TakeoutName]
    private let sidecars: [Sidecar]
    private var isAssigned: Set<Int> = []
    /// The sidecars whose own file is not there.
    private var openByBase: [TakeoutName: [Int]] = [:]
    private let byName: [FilePath: [Int]]
    private let byKey: [TakeoutName: [Int]]
    private let byBase: [TakeoutName: [Int]]

    init(_ media: [SourceFile], _ sidecars: [Sidecar], _ words: TakeoutWords = TakeoutWords()) {
        (self.media, self.sidecars, self.words) = (media, sidecars, words)
        let names = media.map { TakeoutName($0.name.text) }
        self.names = names
        byName = Dictionary(grouping: media.indices) { media[$0].name }
        byKey = Dictionary(grouping: media.indices) { names[$0] }
        byBase = Dictionary(grouping: media.indices) { Self.baseKey(names[$0]) }
        for number in sidecars.indices where sidecars[number].name.number == nil {
            assign(number, among: byName[FilePath(sidecars[number].name.stem)] ?? [])
        }
        for number in sidecars.indices { assign(number, among: exact(number)) }
        for number in sidecars.indices { assign(number, among: inAnotherForm(number)) }
        assignByTitle()
        assignCutNames()
        let open = sidecars.indices.filter { !isAssigned.contains($0) }
        openByBase = Dictionary(grouping: open) { Self.baseKey(sidecars[$0].name.key) }
        for index in media.indices where sidecarOf[index] == nil { follow(index) }
    }

    private static func baseKey(_ name: TakeoutName) -> TakeoutName {
        TakeoutName(name: name.base.lowercased(), number: name.number)
    }

    /// The files with the name of a sidecar, byte for byte.
    private func exact(_ sidecar: Int) -> [Int] {
        let key = sidecars[sidecar].name.key
        return (byKey[key] ?? []).filter { names[$0].bytes == key.bytes }
    }

    /// The free files with the name of a sidecar in another form of its accents, where all have the same.
    private func inAnotherForm(_ sidecar: Int) -> [Int] {
        let free = (byKey[sidecars[sidecar].name.key] ?? []).filter { sidecarOf[$0] == nil }
        return Set(free.map { names[$0].bytes }).count == 1 ? free : []
    }

    /// Assigns a sidecar to the first free file, that of its own archive or folder before others.
    private mutating func assign(_ sidecar: Int, among candidates: [Int]) {
        guard !isAssigned.contains(sidecar) else { return }
        let free = candidates.filter { sidecarOf[$0] == nil }
        let folder = sidecars[sidecar].file.path.folder
        guard let index = free.first(where: { media[$0].path.folder == folder }) ?? free.first else { return }
        sidecarOf[index] = sidecar
        isAssigned.insert(sidecar)
        // The same file in another archive of the export.
        for other in free where other != index && media[other].name == media[index].name {
            if !sidecars.indices.contains(where: { hasOwn($0, other) && $0 != sidecar }) {
                sidecarOf[other] = sidecar
            }
        }
    }

    /// Whether a sidecar lies in the folder of a file and has its name, or that in another form if no file has its own.
    private func hasOwn(_ sidecar: Int, _ index: Int) -> Bool {
        let (key, folder) = (sidecars[sidecar].name.key, sidecars[sidecar].file.path.folder)
        guard key == names[index], !isAssigned.contains(sidecar), folder == media[index].path.folder else {
            return false
        }
        return key.bytes == names[index].bytes || !exact(sidecar).contains { media[$0].path.folder == folder }
    }

    // MARK: Titles

    private mutating func assignByTitle() {
        let open = sidecars.indices.filter { !isAssigned.contains($0) && sidecars[$0].content.title != nil }
        guard !open.isEmpty else { return }
        // By the beginning of the name, in which Google replaces no letters and digits.
        let byPrefix = Dictionary(grouping: media.indices) { Self.prefix(names[$0].name) }
        for number in open {
            guard let title = sidecars[number].content.title else { continue }
            let candidates = (byPrefix[Self.prefix(title)] ?? []).filter {
                names[$0].number == sidecars[number].name.number && Self.isName(names[$0], of: title)
            }
            // A title that ends in a number is that of a file which was named so: "a_.json" of "a_P(1).jpg".
            let named = sidecars[number].name.number == nil ? byName[FilePath(title)] ?? [] : []
            let exact = named + candidates.filter { media[$0].name == FilePath(title) }
            assign(number, among: exact.isEmpty ? candidates : exact)
        }
    }

    private static func prefix(_ text: String) -> String {
        String(text.prefix { $0.isLetter || $0.isNumber }.prefix(20))
    }

    /// Whether a name is that of a file with this title: characters that names cannot have are replaced, and long names
    /// are cut before the extension.
    static func isName(_ name: TakeoutName, of title: String) -> Bool {
        let whole = TakeoutName(name: title, number: nil)
        let isSameKind = name.ending.lowercased() == whole.ending.lowercased()
        if isSameKind, isEqual(name.base, whole.base) { return true }
        // Titles of some uploads have no extension.
        if isEqual(name.base, title) { return true }
        let isCut = max(name.name.utf16.count, name.name.utf8.count) >= 44
        return isCut && isSameKind && name.base.count < whole.base.count
            && isEqual(name.base, String(whole.base.prefix(name.base.count)))
    }

    private static func isEqual(_ name: String, _ title: String) -> Bool {
        name.count == title.count
            && zip(name, title).allSatisfy { $0 == $1 || $0 == "_" && !$1.isLetter && !$1.isNumber }
    }

    // MARK: Cut names

    private mutating func assignCutNames() {
        let open = sidecars.indices.filter { !isAssigned.contains($0) && sidecars[$0].name.isCut }
        guard !open.isEmpty else { return }
        let sorted = media.indices.map { (bytes: Array(names[$0].name.utf8), index: $0) }
            .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        for number in open {
            let key = sidecars[number].name.key
            let stem = Array(key.name.utf8)
            var (low, high) = (0, sorted.count)
            while low < high {
                let middle = (low + high) / 2
                if sorted[middle].bytes.lexicographicallyPrecedes(stem) {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            let found = sorted[low...].prefix { $0.bytes.starts(with: stem) }.map(\.index)
                .filter { sidecarOf[$0] == nil && names[$0].number == key.number }
            choose(number, among: found)
        }
    }

    /// Assigns a sidecar to the original among files whose names begin alike.
    private mutating func choose(_ sidecar: Int, among found: [Int]) {
        let title = sidecars[sidecar].content.title
        let titled = title.map { title in found.filter { Self.isName(names[$0], of: title) } } ?? []
        let candidates = titled.isEmpty ? found : titled
        let originals = candidates.filter { editedOriginal($0) == nil }
        let best = originals.isEmpty ? candidates : originals
        let bases = Set(best.map { Self.baseKey(names[$0]) })
        guard bases.count <= 1 else {
            let list = best.map { media[$0].name }.sorted().prefix(3).map(\.text).joined(separator: ", ")
            reasons[sidecar] = "could belong to any of \(list)"
            return
        }
        let ending = title.map { TakeoutName(name: $0, number: nil).ending.lowercased() }
        assign(
            sidecar,
            among: best.sorted { rank($0, ending) < rank($1, ending) })
    }

    /// Photos with the extension of the title first, then other photos.
    private func rank(_ index: Int, _ ending: String?) -> Int {
        (names[index].ending.lowercased() == ending ? 0 : 2) + (isFilm(index) ? 1 : 0)
    }

    // MARK: Edited copies and live photos

    /// The name of the original, if it is the name of an edited copy.
    private func editedOriginal(_ index: Int) -> TakeoutName? {
        let name = names[index]
        guard let base = words.original(name) else { return nil }
        return TakeoutName(name: base.lowercased(), number: name.number)
    }

    /// Finds the original of a file without a sidecar, and shares its sidecar.
    private mutating func follow(_ index: Int) {
        if let original = editedOriginal(index) {
            defer {
                if sidecarOf[index] != nil {
                    editedCopies.insert(index)
                    usedWords.formUnion(words.unknown(names[index]).map { [$0] } ?? [])
                }
            }
            let same = closest(byBase[original] ?? [], to: original)
            let ending = names[index].ending.lowercased()
            let best = same.filter { sidecarOf[$0] != nil }.min { rank($0, ending) < rank($1, ending) }
            if let best { return share(index, best) }
            if let sidecar = free(original) {
                sidecarOf[index] = sidecar
                isAssigned.insert(sidecar)
                return
            }
        }
        guard isFilm(index) else { return }
        if let photo = photo(of: index) { return share(index, photo) }
        if let sidecar = free(Self.baseKey(names[index])) {
            sidecarOf[index] = sidecar
            isAssigned.insert(sidecar)
        }
    }

    /// Those of files with equal base names whose bytes are equal, too; all if there are none.
    private func closest(_ files: [Int], to base: TakeoutName) -> [Int] {
        let exact = files.filter { Self.baseKey(names[$0]).bytes == base.bytes }
        return exact.isEmpty ? files : exact
    }

    private mutating func share(_ index: Int, _ original: Int) {
        sidecarOf[index] = sidecarOf[original]
        // An original that is a follower itself: the video of a live photo with an edited copy.
        originalOf[index] = originalOf[original] ?? original
    }

    /// The photo with the name of a video; "a.MP" belongs to "a.MP.jpg".
    private func photo(of film: Int) -> Int? {
        let name = names[film]
        let whole = TakeoutName(name: name.name.lowercased(), number: name.number)
        let key = Self.baseKey(name)
        let candidates = closest(byBase[key] ?? [], to: key) + closest(byBase[whole] ?? [], to: whole)
        return candidates.first { $0 != film && sidecarOf[$0] != nil && !isFilm($0) }
    }

    /// A sidecar that belongs to a file of this name which is not there.
    private func free(_ base: TakeoutName) -> Int? {
        openByBase[base]?.first { !isAssigned.contains($0) }
    }

    /// Whether it is a film by its name: also one that has the name of a photo without its extension.
    private func isFilm(_ index: Int) -> Bool {
        let name = names[index]
        return [".mp4", ".mov", ".m4v", ".3gp", ".avi", ".mkv", ".webm", ".mpg", ".mts"]
            .contains(name.ending.lowercased())
            || MotionFilm.isNamed(FilePath(name.name)) || !FileExtension.isMedia(FilePath(name.name))
    }
}
