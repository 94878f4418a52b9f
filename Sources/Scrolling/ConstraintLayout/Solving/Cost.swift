/// What one unit of a symbol costs: a sum for each priority, compared by the highest priority first.
struct Cost: Sendable {
    private struct Term: Sendable {
        var priority: Double
        var value: Double
    }

    /// Highest priority first, without zeros.
    private var terms: [Term] = []

    static let none = Cost()
    init() {}
    init(_ value: Double = 1, at priority: Double) { terms = [Term(priority: priority, value: value)] }

    var isNone: Bool { terms.isEmpty }
    var isNegative: Bool { !terms.isEmpty && terms[0].value < 0 }

    mutating func add(_ other: Cost, times factor: Double) {
        if terms.count == 1, other.terms.count == 1, terms[0].priority == other.terms[0].priority {
            terms[0].value += factor * other.terms[0].value
            if abs(terms[0].value) < rounding { terms.removeLast() }
            return
        }
        var position = 0
        for term in other.terms {
            let value = factor * term.value
            while position < terms.count, terms[position].priority > term.priority { position += 1 }
            if position < terms.count, terms[position].priority == term.priority {
                terms[position].value += value
                if abs(terms[position].value) < rounding { terms.remove(at: position) }
            } else if abs(value) >= rounding {
                terms.insert(Term(priority: term.priority, value: value), at: position)
            }
        }
    }

    /// Compares the costs per unit of two coefficients, both positive: -1, 0 or 1.
    func compare(per coefficient: Double, _ other: Cost, per otherCoefficient: Double) -> Int {
        var mine = 0
        var theirs = 0
        while mine < terms.count || theirs < other.terms.count {
            let priority = max(
                mine < terms.count ? terms[mine].priority : -1,
                theirs < other.terms.count ? other.terms[theirs].priority : -1)
            var difference = 0.0
            if mine < terms.count, terms[mine].priority == priority {
                difference += terms[mine].value / coefficient
                mine += 1
            }
            if theirs < other.terms.count, other.terms[theirs].priority == priority {
                difference -= other.terms[theirs].value / otherCoefficient
                theirs += 1
            }
            if abs(difference) >= rounding { return difference < 0 ? -1 : 1 }
        }
        return 0
    }
}
