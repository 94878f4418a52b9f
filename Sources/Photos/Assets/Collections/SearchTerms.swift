/// The values that searches of a library can name, each with the number of assets, the most common first.
package struct SearchTerms: Sendable {
    /// A value of a condition.
    package struct Term: Equatable, Sendable {
        package var text: String
        package var count: Int

        package init(text: String, count: Int) { (self.text, self.count) = (text, count) }
    }

    package var cameras: [Term] = []
    package var lenses: [Term] = []
    package var keywords: [Term] = []
    package var labels: [Term] = []
    package var places: [Term] = []

    package init() {}
}
