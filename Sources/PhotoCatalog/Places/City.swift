/// A town that gives places around it their name.
struct City: Hashable, Sendable {
    /// Degrees of WGS 84.
    var latitude: Double
    /// Degrees of WGS 84.
    var longitude: Double
    var name: String
    /// The state, province or county; empty where there is none.
    var region: String
    /// Two letters of ISO 3166.
    var country: String

    /// "Chamonix, Auvergne-Rhone-Alpes, FR".
    var label: String {
        var parts = [name]
        if !region.isEmpty, region != name { parts.append(region) }
        if !country.isEmpty { parts.append(country) }
        return parts.joined(separator: ", ")
    }
}
