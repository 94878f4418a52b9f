import ImageMetadata

let bytes: [UInt8] = [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 0, 0]
if let exif = Exif(bytes), let date = exif.date {
    print(exif.model ?? "unknown camera", date.local, date.offset?.description ?? "unknown zone")
    if let place = exif.location { print(place.latitude, place.longitude) }
}
let size: PixelSize<StoredGrid>? = nil
print(ICCProfile(bytes)?.name ?? "no profile", FileFormat.heif.kind, size?.width ?? 0)
