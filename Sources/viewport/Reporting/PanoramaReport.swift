#if CommandLine
import Basics
import ImageMetadata
import ScrollModel
import ViewportRendering

/// The panorama that a file states to be, for reports.
struct PanoramaReport {
    let tags: PanoramaTags
    /// What the picture shows of the sphere; nil where the tags do not fit the picture.
    private let area: PanoramaTags.Area?
    private let defect: String?

    init(_ tags: PanoramaTags, of file: ImageFile) {
        self.tags = tags
        do throws(PanoramaTags.Mismatch) {
            (area, defect) = (try tags.area(in: file.uprightSize), nil)
        } catch {
            (area, defect) = (nil, error.description)
        }
    }

    /// Returns "equirectangular, 4000x1000 at 0,500 of 4000x2000, pose pitch -3, first view heading 90.5".
    var text: String {
        var parts = [tags.projection.rawValue]
        if let area {
            let part = area.part
            parts.append(
                part.size == area.full
                    ? "whole, \(area.full)" : "\(part.size) at \(part.x),\(part.y) of \(area.full)")
        }
        if let defect { parts.append(defect) }
        parts += [
            Self.text(
                of: "pose",
                [("heading", tags.poseHeading), ("pitch", tags.posePitch), ("roll", tags.poseRoll)]),
            Self.text(
                of: "first view",
                [
                    ("heading", tags.initialHeading), ("pitch", tags.initialPitch),
                    ("roll", tags.initialRoll),
                    ("field of view", tags.initialFieldOfView),
                ]),
        ].compactMap(\.self)
        if !tags.usesViewer { parts.append("to be shown flat") }
        return parts.joined(separator: ", ")
    }

    /// Returns the angles that are stated, in degrees: "pose heading 42 pitch -3"; nil where there are none.
    private static func text(of subject: String, _ angles: [(name: String, degrees: Double?)]) -> String? {
        let stated = angles.compactMap { angle in
            angle.degrees.map { "\(angle.name) \(JSONValue.number($0))" }
        }
        return stated.isEmpty ? nil : "\(subject) \(stated.joined(separator: " "))"
    }

    var json: JSONValue {
        .object([
            "projection": .string(tags.projection.rawValue), "viewer": .bool(tags.usesViewer),
            "fullWidth": JSONValue(area?.full.width, JSONValue.int),
            "fullHeight": JSONValue(area?.full.height, JSONValue.int),
            "croppedArea": JSONValue(area?.part) {
                .array([.int($0.x), .int($0.y), .int($0.width), .int($0.height)])
            },
            "initialHeading": JSONValue(tags.initialHeading, JSONValue.number),
            "initialPitch": JSONValue(tags.initialPitch, JSONValue.number),
            "initialRoll": JSONValue(tags.initialRoll, JSONValue.number),
            "initialFov": JSONValue(tags.initialFieldOfView, JSONValue.number),
            "poseHeading": JSONValue(tags.poseHeading, JSONValue.number),
            "posePitch": JSONValue(tags.posePitch, JSONValue.number),
            "poseRoll": JSONValue(tags.poseRoll, JSONValue.number),
            "defect": JSONValue(defect, JSONValue.string),
        ])
    }
}

extension ImageFile {
    /// The panorama that the file states to be; nil where it states none.
    var panoramaReport: PanoramaReport? { panoramaTags.map { PanoramaReport($0, of: self) } }
}

extension LookFrame {
    /// The look as it was rendered.
    var json: JSONValue {
        .object([
            "yaw": .number(look.yaw), "pitch": .number(look.pitch), "roll": .number(look.roll),
            "fov": .number(look.fieldOfView), "projection": .string(projection.rawValue),
        ])
    }
}
#endif
