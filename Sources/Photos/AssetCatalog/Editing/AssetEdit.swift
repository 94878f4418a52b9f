internal import Basics
public import ImageMetadata
internal import ViewportGeometry

/// Changes of what is known of photos: title, words, rating, date, place, rotation.
///
/// Nil leaves a property unchanged. Empty texts, and removals, remove it from the sidecar: what the file itself states
/// counts again, except for keywords, of which the sidecar then states that there are none. Keywords are equal if they look
/// the same: "é" is one character or two. A control character or line break in a keyword becomes a space.
public struct AssetEdit: Hashable, Codable, Sendable {
    /// The title; empty removes it.
    public var title: String?
    /// The description; empty removes it.
    public var caption: String?
    /// The keywords that replace all; `addedKeywords` and `removedKeywords` are applied after it.
    public var keywords: [String]?
    /// Keywords to add.
    public var addedKeywords: [String] = []
    /// Keywords to remove.
    public var removedKeywords: [String] = []
    /// The rating: 0 to 5, or -1 for rejected.
    public var rating: Int?
    /// The color label, such as "Red"; empty removes it.
    public var label: String?
    /// The date of capture.
    public var date: CaptureDate?
    /// Seconds by which the date is shifted, after `date` was applied.
    public var shift = 0
    /// The position of capture.
    public var location: Location?
    /// Whether the position is removed.
    public var removesLocation = false
    /// The clockwise rotation in quarter turns; pixels are not changed.
    public var quarterTurns = 0

    /// Creates an edit of some properties: `AssetEdit(title: "Lake", rating: 4)`; what is left out is not changed.
    ///
    /// - Parameters:
    ///   - rating: 0 to 5, or -1 for rejected.
    ///   - shift: seconds by which the date is shifted, after `date` was applied.
    ///   - quarterTurns: the clockwise rotation in quarter turns.
    public init(
        title: String? = nil, caption: String? = nil, keywords: [String]? = nil, addedKeywords: [String] = [],
        removedKeywords: [String] = [], rating: Int? = nil, label: String? = nil, date: CaptureDate? = nil,
        shift: Int = 0, location: Location? = nil, removesLocation: Bool = false, quarterTurns: Int = 0
    ) {
        (self.title, self.caption, self.label, self.rating) = (title, caption, label, rating)
        (self.keywords, self.addedKeywords, self.removedKeywords) = (keywords, addedKeywords, removedKeywords)
        (self.date, self.shift) = (date, shift)
        (self.location, self.removesLocation) = (location, removesLocation)
        self.quarterTurns = quarterTurns
    }

    /// Returns the seconds of a shift, "+1h", "-90m" or "+1d2h"; nil if it is invalid.
    package static func seconds(ofShift text: String) -> Int? {
        let isNegative = text.hasPrefix("-")
        var rest = text.drop { $0 == "+" || $0 == "-" }
        guard !rest.isEmpty, text.count - rest.count <= 1 else { return nil }
        var sum = 0
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            guard let value = Int(digits), value < 1 << 40, let unit = rest.popFirst(),
                let factor = ["d": 86_400, "h": 3600, "m": 60, "s": 1][unit]
            else { return nil }
            sum += value * factor
        }
        return isNegative ? -sum : sum
    }

    /// Whether it changes nothing.
    public var isEmpty: Bool { self == Self() }

    /// Returns the edit of an asset's sidecar.
    ///
    /// - Parameter orientation: the orientation that counts now.
    /// - Throws: `Refusal` where the asset lacks what is changed.
    func sidecarEdit(of asset: Asset, orientation: Orientation) throws(AssetRefusal) -> SidecarEdit {
        var edit = SidecarEdit()
        edit.title = Self.change(title)
        edit.caption = Self.change(caption)
        edit.label = Self.change(label)
        if let rating { edit.rating = .set(rating) }
        if keywords != nil || !addedKeywords.isEmpty || !removedKeywords.isEmpty {
            var seen: Set<String> = []
            let removed = Set(removedKeywords.map(XMPPacket.keyword))
            let words = ((keywords ?? asset.keywords) + addedKeywords).map(XMPPacket.keyword).filter {
                !$0.isEmpty && !removed.contains($0) && seen.insert($0).inserted
            }
            if seen != Set(asset.keywords) { edit.keywords = .set(words) }
        }
        if date != nil || shift != 0 {
            guard var date = date ?? asset.date else { throw AssetRefusal(reason: "has no date to shift") }
            if shift != 0 {
                guard date.precision >= .day else {
                    throw AssetRefusal(reason: "has no day to shift, only \(date)")
                }
                guard let local = date.local.advanced(bySeconds: shift) else {
                    throw AssetRefusal(reason: "its date cannot be shifted so far")
                }
                // A shift by whole days keeps an unknown time unknown, one by minutes unknown seconds.
                if shift % 60 != 0 || shift % 86_400 != 0 && !date.hasTime { date.precision = .second }
                date.local = local
            }
            edit.date = .set(date)
        }
        if let location { edit.location = .set(location) } else if removesLocation { edit.location = .remove }
        if quarterTurns % 4 != 0 {
            guard asset.isPhoto else { throw AssetRefusal(reason: "is a video, which cannot be rotated") }
            edit.orientation = .set(orientation.rotated(quarterTurns: quarterTurns))
        }
        return edit
    }

    private static func change(_ text: String?) -> SidecarEdit.Change<String> {
        guard let text else { return .keep }
        return text.isEmpty ? .remove : .set(text)
    }
}

extension AssetEdit {
    /// Decodes an edit; what is missing is not changed.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        try values.read(&title, .title)
        try values.read(&caption, .caption)
        try values.read(&keywords, .keywords)
        try values.read(&addedKeywords, .addedKeywords)
        try values.read(&removedKeywords, .removedKeywords)
        try values.read(&rating, .rating)
        try values.read(&label, .label)
        try values.read(&date, .date)
        try values.read(&shift, .shift)
        try values.read(&location, .location)
        try values.read(&removesLocation, .removesLocation)
        try values.read(&quarterTurns, .quarterTurns)
    }
}

/// Why an asset cannot be edited, exported or moved to the trash, as the end of a sentence about it.
package struct AssetRefusal: Error, CustomStringConvertible {
    package var reason: String
    /// Whether the catalog is out of date, so that indexing the asset helps.
    var needsIndexing = false

    package init(reason: String) { self.reason = reason }

    init(reason: String, needsIndexing: Bool) { (self.reason, self.needsIndexing) = (reason, needsIndexing) }

    package var description: String { reason }
}

extension WallClock {
    /// Returns the time some seconds later, with the same fraction; nil outside of the years 1000 to 9999.
    fileprivate func advanced(bySeconds seconds: Int) -> WallClock? {
        let (sum, overflow) = wholeSeconds.addingReportingOverflow(seconds)
        guard !overflow, var clock = WallClock(wholeSeconds: sum) else { return nil }
        clock.fraction = fraction
        return clock
    }
}

extension Orientation {
    /// Returns the orientation after clockwise quarter turns.
    fileprivate func rotated(quarterTurns: Int) -> Orientation {
        let turns: [Orientation] = [.up, .right, .down, .left]
        return followed(by: turns[(quarterTurns % 4 + 4) % 4])
    }
}
