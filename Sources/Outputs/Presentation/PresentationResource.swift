internal import Basics

/// Texts of a resource in one language.
///
/// Source: IIIF Presentation API 3.0, sections 4.1 and 4.2.
package struct ManifestText: Hashable, Sendable {
    /// The texts, each a paragraph or an entry of a list.
    package var values: [String]
    /// A language tag of BCP 47, or `none`.
    package var language: String

    package init(_ values: String..., language: String = "none") {
        self.init(values, language: language)
    }

    package init(_ values: [String], language: String = "none") {
        self.values = values
        self.language = language
    }

    var json: JSONValue { .object([(language, .array(values.map(JSONValue.string)))]) }

    /// Returns a text of a file for a property in which clients take `<…>` for HTML.
    ///
    /// A space before it makes it plain text again.
    package static func plain(_ text: String) -> String {
        text.hasPrefix("<") && text.hasSuffix(">") ? " \(text)" : text
    }
}

/// A label and its value, as clients show them in a table.
package struct ManifestEntry: Hashable, Sendable {
    package var label: ManifestText
    package var value: ManifestText

    package init(_ label: ManifestText, _ value: ManifestText) {
        (self.label, self.value) = (label, value)
    }

    var json: JSONValue { .object(["label": label.json, "value": value.json]) }
}

/// A file of another format of a canvas, such as a PDF.
package struct ManifestLink: Hashable, Sendable {
    package var id: String
    package var label: ManifestText
    /// The media type.
    package var format: String

    package init(_ id: String, label: ManifestText, format: String) {
        (self.id, self.label, self.format) = (id, label, format)
    }

    var json: JSONValue {
        .object([
            "id": .string(id), "type": .string(format.hasPrefix("image/") ? "Image" : "Text"),
            "label": label.json, "format": .string(format),
        ])
    }
}

/// The properties that collections, manifests and canvases have in common.
package struct Description: Hashable, Sendable {
    package var label: ManifestText
    package var summary: ManifestText?
    package var metadata: [ManifestEntry] = []
    /// What clients must show, such as an attribution.
    package var requiredStatement: ManifestEntry?
    /// The URI of a license of Creative Commons or of a statement of RightsStatements.org.
    package var rights: String?

    package init(_ label: ManifestText) {
        self.label = label
    }

    var members: [(String, JSONValue?)] {
        [
            ("label", label.json), ("summary", summary?.json),
            ("metadata", metadata.isEmpty ? nil : .array(metadata.map(\.json))),
            ("requiredStatement", requiredStatement?.json), ("rights", rights.map(JSONValue.string)),
        ]
    }
}

/// A list of manifests and collections.
package struct PresentationCollection: Hashable, Sendable {
    /// A reference to a manifest or a collection.
    package struct Item: Hashable, Sendable {
        package var id: String
        package var isCollection: Bool
        package var label: ManifestText

        package init(_ id: String, isCollection: Bool, label: ManifestText) {
            (self.id, self.isCollection, self.label) = (id, isCollection, label)
        }
    }

    package var id: String
    package var description: Description
    /// Whether its manifests are the parts of one work.
    package var isOneWork = false
    package var items: [Item]

    package init(id: String, _ description: Description, items: [Item]) {
        (self.id, self.description, self.items) = (id, description, items)
    }

    /// A collection of the manifests of some images.
    ///
    /// - Parameters:
    ///   - name: The name of the images, by which parts are labelled.
    ///   - address: Returns the URL of a document.
    package init(
        of count: Int, _ description: Description, name: String, address: (PresentationDocument) -> String
    ) {
        let items = PresentationDocument.manifests(of: count).map {
            Item(address($0), isCollection: false, label: ManifestText($0.label(of: count, name: name)))
        }
        self.init(id: address(.collection), description, items: items)
        isOneWork = PresentationDocument.isLarge(count)
    }

    /// The JSON in one line, which ends with a newline.
    package var text: String {
        let members: [(String, JSONValue?)] =
            [
                ("@context", .string(PresentationManifest.context)), ("id", .string(id)),
                ("type", .string("Collection")),
            ] + description.members + [
                ("behavior", isOneWork ? .array([.string("multi-part")]) : nil),
                (
                    "items",
                    .array(
                        items.map {
                            .object([
                                "id": .string($0.id),
                                "type": .string($0.isCollection ? "Collection" : "Manifest"),
                                "label": $0.label.json,
                            ])
                        })
                ),
            ]
        return "\(JSONValue.object(members))\n"
    }
}

/// A manifest without its canvases, which are written one after the other.
package struct PresentationManifest: Hashable, Sendable {
    /// The order in which a work is read.
    package enum Direction: String, CaseIterable, Sendable {
        case leftToRight = "left-to-right"
        case rightToLeft = "right-to-left"
        case topToBottom = "top-to-bottom"
        case bottomToTop = "bottom-to-top"
    }

    static let context = "http://iiif.io/api/presentation/3/context.json"
    static let placesContext = "http://iiif.io/api/extension/navplace/context.json"

    package var id: String
    package var description: Description
    package var direction: Direction?
    package var behavior: [String] = []
    /// Whether a canvas may have a place, which needs a context of its own.
    package var hasPlaces = false
    package var ranges: [ManifestRange] = []

    package init(id: String, _ description: Description) {
        (self.id, self.description) = (id, description)
    }

    /// The JSON up to the id, by which a manifest of an earlier run is known again.
    package var start: String {
        let contexts: JSONValue =
            hasPlaces
            ? .array([.string(Self.placesContext), .string(Self.context)]) : .string(Self.context)
        return String("\(JSONValue.object(["@context": contexts, "id": .string(id)]))".dropLast())
    }

    /// The JSON before the first canvas.
    package var opening: String {
        let members: [(String, JSONValue?)] =
            [("type", .string("Manifest"))] + description.members + [
                ("viewingDirection", direction.map { .string($0.rawValue) }),
                ("behavior", behavior.isEmpty ? nil : .array(behavior.map(JSONValue.string))),
            ]
        return "\(start),\("\(JSONValue.object(members))".dropFirst().dropLast()),\"items\":["
    }

    /// The JSON after the last canvas.
    package var closing: String {
        guard !ranges.isEmpty else { return "]}\n" }
        return "],\"structures\":\(JSONValue.array(ranges.map(\.json)))}\n"
    }

    /// Returns the whole JSON in one line, which ends with a newline.
    package func text(_ canvases: [PresentationCanvas]) -> String {
        text(ofCanvases: canvases.map(\.text))
    }

    /// Returns the whole JSON with the JSON of canvases.
    package func text(ofCanvases canvases: [String]) -> String {
        opening + canvases.joined(separator: ",") + closing
    }
}

/// A part of a manifest, such as a chapter.
package struct ManifestRange: Hashable, Sendable {
    package var id: String
    package var label: ManifestText
    /// The ids of its canvases.
    package var canvases: [String]
    package var ranges: [ManifestRange]

    package init(id: String, label: ManifestText, canvases: [String], ranges: [ManifestRange] = []) {
        (self.id, self.label, self.canvases, self.ranges) = (id, label, canvases, ranges)
    }

    var json: JSONValue {
        let items =
            canvases.map { JSONValue.object(["id": .string($0), "type": .string("Canvas")]) }
            + ranges.map(\.json)
        return .object([
            "id": .string(id), "type": .string("Range"), "label": label.json, "items": .array(items),
        ])
    }
}
