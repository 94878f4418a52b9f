/// The dates that a file and its sidecar state, and the one that counts.
///
/// A date of the sidecar counts if it means the same as that of the file, or more: a time of digitization does not
/// replace one of capture. A date that agrees with a more exact one does not replace it either; it adds what the other
/// lacks, such as the zone. Source: Metadata Working Group, Guidelines 2.0, section 5.3.
package struct DateChoice: Equatable, Sendable {
    /// The date that counts; nil without any.
    package internal(set) var chosen: CaptureDate?
    /// All dates in the order of trust, one of each source.
    private var all: [CaptureDate] = []

    /// Adds a date; of the dates of one source, the first counts.
    mutating func offer(_ candidate: CaptureDate?) {
        guard let candidate, !all.contains(where: { $0.source == candidate.source }) else { return }
        all.insert(candidate, at: all.firstIndex { candidate.source < $0.source } ?? all.endIndex)
        chosen = choice
    }

    private var choice: CaptureDate? {
        let own = Self.mostTrusted(all.filter { !$0.source.isOfSidecar })
        guard let stated = Self.mostTrusted(all.filter(\.source.isOfSidecar)) else { return own }
        guard let own, !own.source.isGuess else { return stated }
        if stated.source.isOfDigitization, own.source.isOfCapture { return own }
        return stated.completed(by: own)
    }

    /// The first date, and one of capture before those of digitization; or the most exact one that agrees with it.
    private static func mostTrusted(_ dates: [CaptureDate]) -> CaptureDate? {
        guard let first = dates.first else { return nil }
        let taken = first.source.isOfDigitization ? dates.first(where: \.source.isOfCapture) : nil
        return dates.reduce(taken ?? first) { best, other in
            best.precision < other.precision && best.isRefined(by: other) ? other : best
        }
    }

    /// The dates that do not count, each with the reason, as the end of a sentence about it.
    package var others: [(date: CaptureDate, reason: String)] {
        guard let chosen else { return [] }
        return all.filter { $0.source != chosen.source }.map { ($0, chosen.reason(against: $0)) }
    }

    /// Gives the date a zone that was assumed.
    mutating func assume(_ zone: AssumedZone) {
        guard let date = chosen, date.hasTime, date.offset == nil, let offset = zone.offset(date.local) else {
            return
        }
        chosen?.offset = offset
        chosen?.zoneSource = .assumed(zone.name)
    }
}

extension CaptureDate {
    /// Whether two dates can mean the same, as far as both are known.
    func agrees(with other: CaptureDate) -> Bool {
        if let offset, let its = other.offset, offset != its { return false }
        let length = min(precision, other.precision).length ?? 19
        guard local.description.utf8.prefix(length).elementsEqual(other.local.description.utf8.prefix(length))
        else { return false }
        let (digits, its) = (local.fraction, other.local.fraction)
        return digits.hasPrefix(its) || its.hasPrefix(digits)
    }

    /// Whether another date tells more of this one.
    ///
    /// A photo of a year can have been digitized in that year: only a day of capture is that of digitization, too.
    fileprivate func isRefined(by other: CaptureDate) -> Bool {
        !other.source.isGuess && agrees(with: other)
            && (precision >= .day || other.source.isOfCapture || !source.isOfCapture)
    }

    /// Returns the date with what another knows more exactly, if both agree.
    func completed(by other: CaptureDate) -> CaptureDate {
        guard isRefined(by: other) else { return self }
        var date = self
        if precision < other.precision
            || precision == other.precision && local.fraction.utf8.count < other.local.fraction.utf8.count
        {
            (date.local, date.precision, date.source) = (other.local, other.precision, other.source)
        }
        if date.offset == nil { (date.offset, date.zoneSource) = (other.offset, other.zoneSource) }
        return date
    }

    /// Why another date does not count beside this one.
    fileprivate func reason(against other: CaptureDate) -> String {
        if agrees(with: other) {
            let isLess =
                other.precision < precision || other.local.fraction.utf8.count < local.fraction.utf8.count
                || other.offset == nil && offset != nil
            return isLess ? "is less exact" : "says the same"
        }
        if other.source.isGuess { return "is a guess" }
        if source.isOfCapture, other.source.isOfDigitization { return "is when it was digitized" }
        if source.isOfSidecar { return "differs from the sidecar" }
        return "is less trusted"
    }
}
