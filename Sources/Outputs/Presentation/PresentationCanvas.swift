internal import Basics
package import Containers
internal import Files
package import ViewportGeometry

/// A canvas with one image.
package struct PresentationCanvas: Hashable, Sendable {
    /// A position of the extension navPlace.
    package struct Place: Hashable, Sendable {
        package var latitude: Double
        package var longitude: Double

        package init(latitude: Double, longitude: Double) {
            (self.latitude, self.longitude) = (latitude, longitude)
        }
    }

    package var id: String
    package var description: Description
    package var size: PixelSize<UprightGrid>
    /// The image and its thumbnail.
    package var image: PresentationImage
    /// A date in UTC, such as `2014-05-25T10:00:00Z`.
    package var date: String?
    package var place: Place?
    package var links: [ManifestLink] = []

    package init(
        id: String, _ description: Description, size: PixelSize<UprightGrid>, image: PresentationImage
    ) {
        (self.id, self.description, self.size, self.image) = (id, description, size, image)
    }

    /// The JSON in one line.
    package var text: String {
        let annotation = JSONValue.object([
            "id": .string("\(id)/annotation"), "type": .string("Annotation"),
            "motivation": .string("painting"), "body": image.body, "target": .string(id),
        ])
        let page = JSONValue.object([
            "id": .string("\(id)/page"), "type": .string("AnnotationPage"), "items": .array([annotation]),
        ])
        let members: [(String, JSONValue?)] =
            [("id", .string(id)), ("type", .string("Canvas"))] + description.members + [
                ("height", .int(size.height)), ("width", .int(size.width)),
                ("thumbnail", image.thumbnail.map { .array([$0]) }),
                ("navDate", date.map(JSONValue.string)), ("navPlace", place.map(json)),
                ("rendering", links.isEmpty ? nil : .array(links.map(\.json))), ("items", .array([page])),
            ]
        return "\(JSONValue.object(members))"
    }

    /// Source: navPlace extension 1.0, sections 3 and 4.
    private func json(_ place: Place) -> JSONValue {
        .object([
            "id": .string("\(id)/place"), "type": .string("FeatureCollection"),
            "features": .array([
                .object([
                    "id": .string("\(id)/place/1"), "type": .string("Feature"),
                    "properties": .object(["label": description.label.json]),
                    "geometry": .object([
                        "type": .string("Point"), "coordinates": .numbers(place.longitude, place.latitude),
                    ]),
                ])
            ]),
        ])
    }
}

/// The image of a canvas: behind a server of the IIIF Image API, or one file.
package struct PresentationImage: Hashable, Sendable {
    let body: JSONValue
    let thumbnail: JSONValue?

    /// The longest side of thumbnails, in pixels.
    private static let thumbnailSide = 400

    /// - Parameters:
    ///   - base: The URL of a server of the Image API 3.0 at `/iiif/3` and 2.1 at `/iiif/2`.
    ///   - identifier: The identifier of the image.
    package init(base: String, identifier: String, size: PixelSize<UprightGrid>) {
        let name = PercentCoding.encode(identifier)
        let address = "\(base)/iiif/3/\(name)"
        let third = JSONValue.object([
            "id": .string(address), "type": .string("ImageService3"), "profile": .string("level2"),
        ])
        let second = JSONValue.object([
            "@id": .string("\(base)/iiif/2/\(name)"), "@type": .string("ImageService2"),
            "profile": .string("http://iiif.io/api/image/2/level2.json"),
        ])
        let longest = max(size.width, size.height)
        var small = size
        if longest > Self.thumbnailSide {
            func scaled(_ side: Int) -> Int { max(1, (side * Self.thumbnailSide + longest / 2) / longest) }
            small = PixelSize(width: scaled(size.width), height: scaled(size.height))
        }
        let request = small == size ? "max" : "\(small.width),\(small.height)"
        body = Self.image("\(address)/full/max/0/default", size, [third, second])
        thumbnail = Self.image("\(address)/full/\(request)/0/default", small, [third])
    }

    /// - Parameters:
    ///   - file: The URL of a JPEG, or of a file of another format.
    ///   - thumbnail: That of a smaller one, with its size.
    package init(
        file: String, format: FileType? = nil, size: PixelSize<UprightGrid>,
        thumbnail: (url: String, size: PixelSize<UprightGrid>)? = nil
    ) {
        body = Self.json(file, format, size, [])
        self.thumbnail = thumbnail.map { Self.json($0.url, nil, $0.size, []) }
    }

    private static let jpeg = FileType.ofExtension("jpg")

    private static func image(
        _ address: String, _ size: PixelSize<UprightGrid>, _ services: [JSONValue]
    ) -> JSONValue {
        json("\(address).jpg", nil, size, services)
    }

    private static func json(
        _ address: String, _ format: FileType?, _ size: PixelSize<UprightGrid>, _ services: [JSONValue]
    ) -> JSONValue {
        .object([
            "id": .string(address), "type": .string("Image"),
            "format": .string((format ?? jpeg)?.mediaType ?? ""),
            "height": .int(size.height), "width": .int(size.width),
            "service": services.isEmpty ? nil : .array(services),
        ])
    }
}
