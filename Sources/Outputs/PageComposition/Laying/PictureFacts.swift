internal import Containers
internal import Files
internal import ImageMetadata

/// The words about a picture that texts can show: `{date}`, `{place}`, `{name}` and `{camera}`.
struct PictureFacts {
    static let names = ["date", "place", "name", "camera"]

    private let values: [String: String]

    /// Reads the metadata of a picture and of its XMP sidecar; what cannot be read has no values, of which the page tells.
    ///
    /// - Parameter placeName: names a position in degrees; nil where no name is known.
    init(_ path: String, placeName: (_ latitude: Double, _ longitude: Double) -> String?) {
        let name = FilePath(path).name
        let sidecar = try? InputFile.contents("\(path).xmp")
        let read = try? InputFile.read(path) {
            FileMetadata(FileBytes($0), name: name.text, sidecar: sidecar)
        }
        let metadata = read ?? nil
        var values = ["name": metadata?.title ?? name.withoutExtension.text]
        values["date"] = metadata?.date.map { String($0.localText.prefix { $0 != "T" }) }
        values["place"] = metadata?.location.map {
            placeName($0.latitude, $0.longitude) ?? Self.coordinates($0.latitude, $0.longitude)
        }
        values["camera"] = metadata.flatMap { Self.camera($0.make, $0.model) }
        self.values = values
    }

    /// Returns a value; nil if the picture has none.
    subscript(name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns "46.0207° N, 7.7491° E": about 10 meters.
    private static func coordinates(_ latitude: Double, _ longitude: Double) -> String {
        func text(_ degrees: Double, _ positive: String, _ negative: String) -> String {
            let tenThousandths = Int((degrees.magnitude * 10_000).rounded())
            let (whole, part) = tenThousandths.quotientAndRemainder(dividingBy: 10_000)
            return "\(whole).\("\(10_000 + part)".dropFirst())° \(degrees < 0 ? negative : positive)"
        }
        return "\(text(latitude, "N", "S")), \(text(longitude, "E", "W"))"
    }

    /// Returns the maker and the model, the maker once.
    private static func camera(_ make: String?, _ model: String?) -> String? {
        guard let make, !make.isEmpty else { return model }
        guard let model, !model.isEmpty else { return make }
        let maker = make.prefix { $0 != " " }
        return model.lowercased().hasPrefix(maker.lowercased()) ? model : "\(make) \(model)"
    }
}
