import Basics
import ImageMetadata
import ViewportGeometry

/// The metadata of a file as one line of JSON.
struct MetadataLine: CustomStringConvertible {
    private var fields: [(String, JSONValue?)] = []

    init(path: String, _ metadata: FileMetadata?) {
        add("path", path)
        guard let metadata else { return }
        add("format", metadata.format.rawValue)
        add("kind", metadata.kind.rawValue)
        add("width", metadata.uprightSize?.width)
        add("height", metadata.uprightSize?.height)
        add("orientation", metadata.orientation.rawValue)
        add("localDate", metadata.date?.local.description)
        add("offset", metadata.date?.offset?.description)
        add("dateSource", metadata.date?.source.rawValue)
        add("zoneSource", metadata.date?.zoneSource?.description)
        add("latitude", metadata.location?.latitude)
        add("longitude", metadata.location?.longitude)
        add("altitude", metadata.location?.altitude)
        add("accuracy", metadata.location?.accuracy)
        add("placeSource", metadata.location?.source.rawValue)
        add("make", metadata.make)
        add("model", metadata.model)
        add("lens", metadata.lens)
        add("software", metadata.software)
        add("duration", metadata.duration)
        add("frames", metadata.frames)
        add("burst", metadata.burstIdentifier)
        add("live", metadata.livePhotoIdentifier)
        add("title", metadata.title)
        add("caption", metadata.caption)
        add("keywords", metadata.keywords.isEmpty ? nil : metadata.keywords.joined(separator: ", "))
        add("rating", metadata.rating)
        add("screenshot", metadata.isScreenshot ? 1 : 0)
        add("preview", metadata.preview.map { "\($0.lowerBound)+\($0.count)" })
    }

    var description: String { JSONValue.object(fields).description }

    private mutating func add(_ name: String, _ value: String?) {
        fields.append((name, value.map(JSONValue.string)))
    }
    private mutating func add(_ name: String, _ value: Int?) {
        fields.append((name, value.map(JSONValue.int)))
    }

    private mutating func add(_ name: String, _ value: Double?) {
        fields.append((name, value.map { .number($0) }))
    }
}
