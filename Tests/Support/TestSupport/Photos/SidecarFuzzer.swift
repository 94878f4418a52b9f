internal import Basics
internal import Containers
import ImageMetadata

/// Edits randomly changed sidecars, and compares everything that an edit is not about.
package struct SidecarFuzzer {
    private var random: SplitMix64

    /// Counts of the results so far.
    package struct Counts: Hashable, Sendable {
        package var inputs = 0
        /// Sidecars that were edited; the others were refused.
        package var edited = 0
        /// Sidecars that were not edited as they should: the first of each kind.
        package var failures: [String] = []
    }

    package private(set) var counts = Counts()

    package init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// The edits, with the names of the properties that they may change.
    private static let edits: [(names: Set<Substring>, make: @Sendable (inout SidecarEdit) -> Void)] = [
        (["title"], { $0.title = .set("New & <old>") }), (["title"], { $0.title = .remove }),
        (["description"], { $0.caption = .set("Two\nlines") }),
        (["Rating", "PickLabel"], { $0.rating = .set(-1) }),
        (["Rating", "PickLabel"], { $0.rating = .remove }),
        (["Label", "ColorLabel"], { $0.label = .set("Red") }),
        (keywordLists, { $0.keywords = .set(["Geneva", "lake"]) }),
        (keywordLists, { $0.keywords = .set([]) }),
    ]
    private static let keywordLists: Set<Substring> = [
        "subject", "hierarchicalSubject", "TagsList", "LastKeywordXMP", "CatalogSets", "categories",
    ]

    /// Edits `count` sidecars with one to three changes: bytes are set, removed, repeated or exchanged, or the end is cut off.
    package mutating func run(_ count: Int) {
        for _ in 0..<count {
            let layout = SidecarMaker.layouts[number(below: SidecarMaker.layouts.count)]
            var bytes = Array(layout.text.utf8)
            for _ in 0...number(below: 3) { change(&bytes) }
            let form = SidecarMaker.Form.allCases[number(below: SidecarMaker.Form.allCases.count)]
            if let text = String(validating: bytes, as: UTF8.self) { bytes = form.bytes(text) }
            counts.inputs += 1
            let (names, make) = Self.edits[number(below: Self.edits.count)]
            var edit = SidecarEdit()
            make(&edit)
            guard let edited = try? edit.applied(to: bytes) else { continue }
            counts.edited += 1
            if let failure = Self.failure(bytes, edited, names, edit) {
                counts.failures.append("\(failure), \(layout), \(form), \(counts.inputs)")
            }
        }
    }

    private static func failure(
        _ former: [UInt8], _ edited: [UInt8], _ names: Set<Substring>, _ edit: SidecarEdit
    ) -> String? {
        let read = FileMetadata(FileBytes(TinyPhoto.jpeg()), name: "a.jpg", sidecar: edited)
        guard let read, read.sidecarFault == nil else {
            return "is broken: \(String(describing: read?.sidecarFault))"
        }
        guard let rest = SidecarRest(former, names), let newRest = SidecarRest(edited, names) else {
            return "cannot be compared"
        }
        guard rest == newRest else { return "has lost or changed something" }
        guard (try? edit.applied(to: edited)) == edited else { return "changes when it is edited again" }
        if case .set(let title) = edit.title, read.title != title { return "has another title" }
        if case .set(let rating) = edit.rating, read.rating != rating { return "has another rating" }
        if case .set(let words) = edit.keywords, Set(read.keywords) != Set(words) { return "has other words" }
        return nil
    }

    /// Characters that change what a packet means.
    private static let marks = Array("<>\"'&;/:= \n-!?adlirt0".utf8)

    private mutating func change(_ bytes: inout [UInt8]) {
        guard bytes.count > 1 else { return }
        let at = number(below: bytes.count)
        let length = number(below: 1 << number(below: 8))
        let end = min(bytes.count, at + length)
        switch number(below: 24) {
        case 0: bytes.removeLast(number(below: bytes.count))
        case 1, 2: bytes.removeSubrange(at..<end)
        case 3, 4: bytes.insert(contentsOf: bytes[at..<end], at: at)
        case 5: bytes.insert(contentsOf: bytes[at..<end], at: number(below: bytes.count))
        case 6...17: exchangeLines(&bytes)
        case 18: bytes[at] ^= 1 << UInt8(number(below: 8))
        case 19: bytes[at] = UInt8(number(below: 256))
        default: bytes[at] = Self.marks[number(below: Self.marks.count)]
        }
    }

    /// Exchanges two lines, or repeats one elsewhere: often the packet stays XML, and means something else.
    private mutating func exchangeLines(_ bytes: inout [UInt8]) {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        let (one, other) = (number(below: lines.count), number(below: lines.count))
        if number(below: 2) == 0 { lines.swapAt(one, other) } else { lines.insert(lines[one], at: other) }
        bytes = Array(lines.joined(separator: [0x0A]))
    }

    private mutating func number(below bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
}

/// What a sidecar states besides some properties, as it is written, in its order.
///
/// Names are compared as they are written, so that it is independent of how programs resolve them.
package struct SidecarRest: Equatable {
    private var bytes: [UInt8] = []

    /// Nil if it is no XML.
    package init?(_ bytes: [UInt8], _ names: Set<Substring>) {
        let text = Self.text(bytes)
        var reader = XMLReader(text)
        var skipped: Int?
        var depth = 0
        var end = 0
        while true {
            let token: XMLReader.Token?
            do { token = try reader.next() } catch { return nil }
            // Comments and the like, which are no tokens.
            let between = text[end..<(token == nil ? text.count : reader.start)]
            if skipped == nil { add(between) }
            guard let token else { break }
            end = reader.offset
            switch token {
            case .open(let name, let attributes, let isEmpty):
                if skipped == nil, names.contains(Self.local(name)) { skipped = depth }
                if skipped == nil {
                    // Descriptions come and go with what they state.
                    let kept = attributes.filter { !names.contains(Self.local($0.name)) }
                    let isDescription = Self.local(name) == "Description"
                    if !isDescription { add(name.utf8) }
                    for attribute in kept where !isDescription || !Self.isOfDescription(attribute.name) {
                        add(text[attribute.range])
                    }
                }
                depth += 1
                if isEmpty { close(&depth, &skipped) }
            case .close(let name):
                close(&depth, &skipped)
                if skipped == nil, Self.local(name) != "Description", !names.contains(Self.local(name)) {
                    add("/\(name)".utf8)
                }
            case .text: if skipped == nil { add(text[reader.start..<reader.offset]) }
            }
        }
    }

    private func close(_ depth: inout Int, _ skipped: inout Int?) {
        depth -= 1
        if skipped == depth { skipped = nil }
    }

    /// Adds bytes without white space, which goes with what stands before or after it.
    private mutating func add(_ part: some Sequence<UInt8>) { bytes += part.filter { !$0.isXMLSpace } }

    private static func local(_ name: String) -> Substring { name.split(separator: ":").last ?? "" }

    private static func isOfDescription(_ name: String) -> Bool {
        name.hasPrefix("xmlns") || local(name) == "about"
    }

    /// The text in UTF-8, whatever its encoding is.
    private static func text(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count > 1, bytes.prefix(2).contains(where: { $0 == 0 || $0 >= 0xFE }) else {
            return bytes
        }
        let isLittle = bytes[0] == 0xFF || bytes[1] == 0
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
            UInt16(bytes[index + (isLittle ? 1 : 0)]) << 8 | UInt16(bytes[index + (isLittle ? 0 : 1)])
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
