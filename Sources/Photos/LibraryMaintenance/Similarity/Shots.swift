internal import AssetCatalog
internal import Files
internal import ImageMetadata

/// Tells copies of one picture from different shots that look alike.
///
/// Different shots are the frames of a burst: they share the identifier of a burst, or one camera took them at different
/// instants within a minute. Frames of cameras that store whole seconds only are told by the numbers in their names. A raw
/// file and a picture that was developed from it are no copies of each other either.
///
/// Files with equal bytes are always copies.
struct Shots {
    /// What is compared, in a form in which millions of pairs can be.
    private struct Shot {
        var sha256: Int
        var isRaw: Bool
        /// The numbers of the camera and of the burst; nil for the latter without an identifier.
        var camera: Int
        var burst: Int?
        /// Nil for undated photos, and where the date is a guess or has no time.
        var instant: (seconds: Int, nanoseconds: Int?, isLocal: Bool, local: Int)?
        /// The number of the name without its digits, and that of the name.
        var pattern: Int
        var name: Int
    }

    /// Two shots of one camera within this time, in seconds, are not copies.
    private static let window = 60

    private var numbers: [String: Int] = [:]

    /// Divides pictures that are connected by steps of a distance into groups without different shots.
    ///
    /// - Parameters:
    ///   - members: the pictures, the best first.
    ///   - distance: the most bits in which the hash of a member differs from one of the others.
    /// - Returns: the groups with two or more members, which are in the order of `members`.
    mutating func divided(
        _ members: [(asset: Asset, hash: DifferenceHash)], within distance: Int
    ) -> [[Asset]] {
        let shots = members.map { shot($0.asset) }
        let hasDifferent = shots.indices.contains { a in
            shots[..<a].contains { Self.areDifferent($0, shots[a]) }
        }
        guard hasDifferent else { return members.count > 1 ? [members.map(\.asset)] : [] }
        var groups: [[Int]] = []
        for (index, member) in members.enumerated() {
            // The nearest group of which no member is another shot.
            var best: (group: Int, distance: Int)?
            for (number, group) in groups.enumerated() {
                let nearest = group.map { members[$0].hash.distance(to: member.hash) }.min() ?? 64
                guard nearest <= distance, nearest < best?.distance ?? .max,
                    !group.contains(where: { Self.areDifferent(shots[$0], shots[index]) })
                else { continue }
                best = (number, nearest)
            }
            if let best { groups[best.group].append(index) } else { groups.append([index]) }
        }
        return groups.filter { $0.count > 1 }.map { $0.map { members[$0].asset } }
    }

    /// Whether two photos are not copies of one picture, however alike they look.
    static func areDifferent(_ a: Asset, _ b: Asset) -> Bool {
        var shots = Shots()
        return areDifferent(shots.shot(a), shots.shot(b))
    }

    private static func areDifferent(_ a: Shot, _ b: Shot) -> Bool {
        guard a.sha256 != b.sha256 else { return false }
        guard a.isRaw == b.isRaw else { return true }
        let isBurst = a.burst != nil && a.burst == b.burst
        guard isBurst || a.camera == b.camera else { return false }
        let isNumbered = a.pattern == b.pattern && a.name != b.name
        guard let first = a.instant, let second = b.instant else { return isBurst && isNumbered }
        // Local times are compared if one of the zones is unknown.
        let isLocal = first.isLocal || second.isLocal
        let apart = abs(isLocal ? first.local - second.local : first.seconds - second.seconds)
        if apart > 0 { return isBurst || apart <= window }
        if let one = first.nanoseconds, let other = second.nanoseconds { return one != other }
        return isNumbered
    }

    private mutating func number(_ text: String) -> Int {
        if let number = numbers[text] { return number }
        numbers[text] = numbers.count
        return numbers.count - 1
    }

    private mutating func shot(_ asset: Asset) -> Shot {
        let name = Self.plainName(of: asset)
        let pattern = String(name.map { $0.isNumber ? "0" : $0 }).replacing(/0+/, with: "0")
        var instant: (seconds: Int, nanoseconds: Int?, isLocal: Bool, local: Int)?
        if let date = asset.date, date.hasTime, !date.source.isGuess {
            let local = date.local.wholeSeconds
            let fraction = date.local.fraction.isEmpty ? nil : date.local.nanoseconds
            instant = (date.instant ?? local, fraction, date.instant == nil, local)
        }
        return Shot(
            sha256: number("sha256 \(asset.sha256)"), isRaw: asset.format.isRaw,
            camera: number("camera \(asset.make ?? "")\n\(asset.model ?? "")"),
            burst: asset.burst.map { number("burst \($0)") }, instant: instant,
            pattern: number("pattern \(pattern)"), name: number("name \(name)"))
    }

    /// The name without its extension, without the marks of copies, " (2)", " copy", "-edited", and without the picture's
    /// size, "-1024x768".
    private static func plainName(of asset: Asset) -> String {
        var base = asset.file.name.withoutExtension.text.lowercased()[...]
        while let mark = base.firstMatch(of: /(\s*\(\d+\)|[ _-]+copy( \d+)?|[ _-]+edited|~\d+)$/) {
            base = base[..<mark.range.lowerBound]
        }
        guard let size = asset.size, let mark = base.firstMatch(of: /[ _-]?(\d+)x(\d+)$/),
            mark.1 == "\(size.width)", mark.2 == "\(size.height)"
        else { return String(base) }
        return String(base[..<mark.range.lowerBound])
    }
}
