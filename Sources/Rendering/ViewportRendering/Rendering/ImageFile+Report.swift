package import Basics
internal import ImageMetadata
package import ImageReading
internal import Pictures
internal import TilePyramid
internal import ViewportGeometry

extension ImageFile {
    /// Returns what is known of the image without decoding it, as `viewport info --json` and the C library tell it.
    ///
    /// - Parameter parts: further members, before the access method.
    package func report(_ parts: [(String, JSONValue?)] = []) -> [(String, JSONValue?)] {
        let metadata = metadata(.all)
        let item = pictureItem
        return [
            ("format", .string(rawPreview?.format.rawValue ?? format.rawValue)),
            ("width", .int(uprightSize.width)), ("height", .int(uprightSize.height)),
            ("storedWidth", .int(storedSize.width)), ("storedHeight", .int(storedSize.height)),
            ("orientation", .int(fileOrientation.rawValue)),
            (
                "raw",
                JSONValue(rawPreview) {
                    .object([
                        "preview": .string(format.rawValue),
                        "sensorWidth": JSONValue($0.sensorSize) { .int($0.width) },
                        "sensorHeight": JSONValue($0.sensorSize) { .int($0.height) },
                    ])
                }
            ),
            ("pages", .int(pages)), ("page", .int(page)),
            ("item", JSONValue(item) { .int($0.shown) }),
            ("primaryItem", JSONValue(item) { .int($0.primary) }),
            ("levels", .array(pyramid.levels.map { .array([.int($0.size.width), .int($0.size.height)]) })),
            ("colors", .string(interpretation)), ("bands", .int(bands)), ("alpha", .bool(hasAlpha)),
            ("profile", JSONValue(profile) { .string($0.name ?? $0.colorSpace) }),
            (
                "dynamicRange",
                JSONValue(profile?.highDynamicRange) {
                    .object(["transfer": .string($0.transfer.rawValue), "peak": .number($0.peak)])
                }
            ),
            ("contentCredentials", hasContentCredentials ? .bool(true) : nil),
            ("signer", credentialReport),
            ("make", JSONValue(metadata?.make, JSONValue.string)),
            ("model", JSONValue(metadata?.model, JSONValue.string)),
            ("date", JSONValue(metadata?.date) { .string($0.localText) }),
            ("offset", JSONValue(metadata?.date?.offset) { .string("\($0)") }),
            ("dateSource", JSONValue(metadata?.date) { .string($0.source.rawValue) }),
            (
                "location",
                JSONValue(metadata?.location) {
                    .object([
                        "latitude": .number($0.latitude), "longitude": .number($0.longitude),
                        "altitude": JSONValue($0.altitude, JSONValue.number),
                    ])
                }
            ),
        ] + parts + [
            ("reading", .string(reading)), ("damage", JSONValue(damage, JSONValue.string)),
        ]
    }
}
