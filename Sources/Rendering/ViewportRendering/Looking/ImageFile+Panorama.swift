public import ImageMetadata
public import ImageReading
public import Pictures
public import ScrollModel
public import ViewportGeometry

extension ImageFile {
    /// Returns the panorama that the file shows, by its metadata.
    ///
    /// - Parameter isAssumed: whether a file without such metadata that is twice as wide as high is taken for the whole
    ///   sphere, as a file is whose metadata does not fit it any more.
    /// - Throws: `RenderingError.panorama` where the file states no panorama, or one that does not fit its size.
    public func panorama(assumed isAssumed: Bool = false) throws(RenderingError) -> Panorama {
        var reason = "its metadata (GPano) does not say that it is one"
        if let tags = panoramaTags {
            do throws(PanoramaTags.Mismatch) {
                if let panorama = Panorama(tags, try tags.area(in: uprightSize), size: uprightSize) {
                    return panorama
                }
            } catch {
                reason = error.description
            }
        }
        let size = uprightSize
        if isAssumed {
            // A row or column may have been cut.
            if abs(size.width - 2 * size.height) <= 2, let whole = Panorama(size: size.imageSize) {
                return whole
            }
            reason += ", and \(size) pixels are not twice as wide as high"
        }
        throw .panorama(file: path, reason: reason)
    }
}

extension Panorama {
    /// Creates the panorama of a picture, of which its metadata states a part of the sphere.
    ///
    /// Directions are relative to the middle of the whole panorama: the initial heading is, too, where the file states the
    /// heading of the middle.
    public init?(_ tags: PanoramaTags, _ area: PanoramaTags.Area, size: PixelSize<UprightGrid>) {
        let across = Double(size.width) / Double(area.part.width)
        let down = Double(size.height) / Double(area.part.height)
        let whole = Rect<ImageSpace>(
            x: -Double(area.part.x) * across, y: -Double(area.part.y) * down,
            width: Double(area.full.width) * across, height: Double(area.full.height) * down)
        let projection: Projection = tags.projection == .cylindrical ? .cylindrical : .equirectangular
        func made(_ look: Look?) -> Panorama? {
            Panorama(
                projection, size: size.imageSize, whole: whole, posePitch: tags.posePitch ?? 0,
                poseRoll: tags.poseRoll ?? 0, initialLook: look)
        }
        guard let plain = made(nil) else { return nil }
        self = plain
        let stated = [
            tags.initialHeading, tags.initialPitch, tags.initialRoll, tags.initialFieldOfView,
        ]
        guard stated.contains(where: { $0 != nil }) else { return }
        let middle = plain.initialLook
        let look = Look(
            yaw: tags.initialHeading.map { $0 - (tags.poseHeading ?? 0) } ?? middle.yaw,
            pitch: tags.initialPitch ?? middle.pitch, roll: tags.initialRoll ?? 0,
            fieldOfView: tags.initialFieldOfView ?? middle.fieldOfView)
        self = made(look) ?? plain
    }
}
