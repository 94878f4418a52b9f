package import Containers
internal import ViewportGeometry

/// What a second sidecar of a photo states besides the one that counts.
///
/// A rating of 0 states nothing: programs write it for photos that nobody has rated.
package struct SidecarMerge: Equatable, Sendable {
    /// What the first one lacks.
    package private(set) var additions = SidecarEdit()
    /// What both state differently, as clauses: "the rating 4 instead of 3".
    package private(set) var contradictions: [String] = []
    /// The names of properties that only the second one has, and that cannot be merged, such as a developer's settings.
    package private(set) var others: [String] = []
    /// Whether it states to be that of a file with another extension, so that nothing of it counts.
    package private(set) var isOfOther = false

    /// Whether nothing is lost without the second sidecar once `additions` are in the first.
    package var isWhole: Bool { contradictions.isEmpty && others.isEmpty && !isOfOther }

    /// Compares two sidecars of a photo.
    ///
    /// - Parameters:
    ///   - second: The bytes of the second sidecar.
    ///   - first: Those of the sidecar that counts.
    ///   - photo: The bytes of the photo: what it states itself need not be added.
    ///   - name: The photo's name.
    ///   - sharesSecond: Whether the second one is named "photo.xmp", which can state the extension of its one file.
    /// - Throws: `SidecarFault` if one of them cannot be read.
    package init(
        _ second: [UInt8], into first: [UInt8], of photo: FileBytes, name: String, sharesSecond: Bool
    ) throws(SidecarFault) {
        let (firstText, secondText) = (try SidecarText(first), try SidecarText(second))
        let (own, its) = (try XMPPacket(firstText), try XMPPacket(secondText))
        guard let now = FileMetadata(photo, name: name, sidecar: first),
            let other = FileMetadata(photo, name: name, sidecar: second, sharesSidecar: sharesSecond)
        else { return }
        isOfOther = other.isSidecarOfOther
        guard !isOfOther else { return }
        merge(Statement(its), into: Statement(own), now, other)
        mergeOrientation(its.orientation, into: own.orientation, now, other)
        let known = try XMPPacket.statements(firstText)
        others = try XMPPacket.statements(secondText).filter { name, statement in
            known[name] != statement && !Self.isMerged(name, statement)
        }.keys.sorted()
    }

    /// What a sidecar states, without its photo.
    private struct Statement {
        let words: FileMetadata
        var rating: Int? { words.rating.flatMap { $0 == 0 ? nil : $0 } }

        init(_ packet: XMPPacket) {
            var words = FileMetadata(.jpeg)
            words.readSidecar(packet)
            self.words = words
        }
    }

    private mutating func merge(
        _ its: Statement, into own: Statement, _ now: FileMetadata, _ other: FileMetadata
    ) {
        let (new, old) = (its.words, own.words)
        take(\.title, "the title", new.title, now.title, old.title)
        take(\.caption, "the description", new.caption, now.caption, old.caption)
        take(\.rating, "the rating", its.rating, now.rating, own.rating)
        take(\.label, "the label", new.label, now.label, old.label)
        if let date = new.date, let all = other.date, now.date.map({ $0.isSame(as: all) }) != true {
            let completed = old.date.map { $0.completed(by: date) }
            if let completed, let stated = old.date, stated.agrees(with: date) {
                if !completed.isSame(as: stated) { additions.date = .set(completed) }
            } else {
                take(\.date, "the date", date, nil, old.date)
            }
        }
        if let place = new.location, now.location.map({ $0.isSame(as: place) }) != true {
            take(\.location, "the position", place, nil, old.location)
        }
        let known = Set(now.keywords)
        let words = new.keywords.filter { !known.contains($0) }
        if !words.isEmpty { additions.keywords = .set(now.keywords + words) }
    }

    /// - Parameters:
    ///   - known: What the photo and the first sidecar state together.
    ///   - stated: What the first sidecar states.
    private mutating func take<Value: Equatable & Sendable & CustomStringConvertible>(
        _ property: WritableKeyPath<SidecarEdit, SidecarEdit.Change<Value>>, _ name: String, _ new: Value?,
        _ known: Value?, _ stated: Value?
    ) {
        guard let new, new != known else { return }
        if let stated {
            contradictions.append("\(name) \(new) instead of \(stated)")
        } else {
            additions[keyPath: property] = .set(new)
        }
    }

    /// Most sidecars repeat the photo's orientation: only a turn is a statement.
    private mutating func mergeOrientation(
        _ new: Orientation?, into stated: Orientation?, _ now: FileMetadata, _ other: FileMetadata
    ) {
        guard let new, other.sidecarTurn != .up, other.sidecarTurn != now.sidecarTurn else { return }
        if let stated {
            contradictions.append("the orientation \(new.rawValue) instead of \(stated.rawValue)")
        } else {
            additions.orientation = .set(new)
        }
    }

    /// Whether a property is among the additions and contradictions, or is no statement about the photo but about its
    /// file, its camera or the sidecar itself.
    private static func isMerged(_ name: String, _ statement: XMPStatement) -> Bool {
        if ["dc:title", "dc:description"].contains(name) { return statement.texts.count == 1 }
        if XMPEditor.keywordLists.contains(name) {
            return name == "dc:subject" || !statement.texts.contains { $0.contains { "|/<".contains($0) } }
        }
        if merged.contains(name) || name.hasSuffix("_timestamp") { return true }
        return ["exif:", "tiff:", "aux:", "exifEX:", "xmpMM:"].contains(where: name.hasPrefix)
            && !words.contains(name)
    }

    private static let merged: Set = [
        "xmp:Rating", "xmp:Label", "photoshop:DateCreated", XMPEditor.pickLabel, XMPEditor.colorLabel,
        "darktable:colorlabels", "acdsee:rating", "MicrosoftPhoto:Rating", "xmp:ModifyDate",
        "xmp:MetadataDate", "xmp:CreateDate", "xmp:CreatorTool", "dc:format",
        "photoshop:SidecarForExtension", "darktable:xmp_version", "crs:RawFileName",
    ]
    /// What people write into the properties of cameras.
    private static let words: Set = [
        "exif:UserComment", "tiff:Artist", "tiff:Copyright", "tiff:ImageDescription",
    ]
}

extension SidecarEdit {
    /// The changes without those of properties that a sidecar states meanwhile; keywords are added to those that count.
    package func filling(_ stated: FileMetadata?, keywords known: [String]) -> SidecarEdit {
        var edit = self
        if stated?.title != nil { edit.title = .keep }
        if stated?.caption != nil { edit.caption = .keep }
        if stated?.rating ?? 0 != 0 { edit.rating = .keep }
        if stated?.label != nil { edit.label = .keep }
        if stated?.location != nil { edit.location = .keep }
        if case .set(let words) = edit.keywords {
            let words = known + words.filter { !known.contains($0) }
            edit.keywords = words == known ? .keep : .set(words)
        }
        return edit
    }

    /// The changes, and those of another edit.
    package func followed(by other: SidecarEdit) -> SidecarEdit {
        var edit = self
        func take<Value>(_ property: WritableKeyPath<SidecarEdit, Change<Value>>) {
            if other[keyPath: property] != .keep { edit[keyPath: property] = other[keyPath: property] }
        }
        take(\.date)
        take(\.location)
        take(\.title)
        take(\.caption)
        take(\.keywords)
        take(\.rating)
        take(\.label)
        take(\.orientation)
        return edit
    }
}
