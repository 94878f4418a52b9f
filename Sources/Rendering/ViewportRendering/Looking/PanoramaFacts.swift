package import Basics
internal import ImageMetadata
package import ImageReading
internal import ScrollModel
internal import ViewportGeometry

extension ImageFile {
    /// What the viewer page needs to know of the panorama that the file states, as the `panorama` of `info.json`: the
    /// projection, the whole panorama in pixels of the picture, the pose and the first look; nil where it states none
    /// that fits its size.
    package var panoramaFacts: JSONValue? {
        guard let tags = panoramaTags, let panorama = try? panorama() else { return nil }
        let (whole, look) = (panorama.whole, panorama.initialLook)
        return .object([
            "projection": .string(panorama.projection.rawValue),
            "whole": .array([whole.minX, whole.minY, whole.width, whole.height].map(JSONValue.number)),
            "posePitch": panorama.posePitch == 0 ? nil : .number(panorama.posePitch),
            "poseRoll": panorama.poseRoll == 0 ? nil : .number(panorama.poseRoll),
            "look": .object([
                "yaw": .number(look.yaw), "pitch": .number(look.pitch),
                "roll": look.roll == 0 ? nil : .number(look.roll), "fov": .number(look.fieldOfView),
            ]),
            "usesViewer": tags.usesViewer ? nil : .bool(false),
        ])
    }
}
