#if CommandLine
import ArgumentParser
import Basics
import Files
import ImageMetadata
import RemoteFiles
import ViewportRendering

#if Library
import PhotoCatalog
#endif

/// An open image with the texts that describe it at a terminal.
struct ShownImage: Sendable {
    let file: ImageFile
    /// The name without control characters, which a terminal would obey.
    let name: String
    private let place: String?

    init(_ image: String, _ file: ImageFile) {
        self.file = file
        name = Self.name(of: image)
        place = file.metadata(.all)?.location.map(Self.place)
    }

    /// Name, format, size and place: "photo.jpg  jpeg  4032x3024  45.9237, 6.8694".
    var summary: String { Self.line([name, format, place]) }

    /// The summary with zoom and visible rectangle.
    func status(zoom: Double, visible: String) -> String {
        let percent = zoom * 100
        let text = percent < 10 ? "\((percent * 10).rounded() / 10)" : "\(Int(percent.rounded()))"
        return Self.line([name, format, "\(text) %", visible, place])
    }

    static func name(of image: String) -> String {
        let name = PipedInput.isPiped(image) ? PipedInput.shown(image) : OutputName.fileName(of: image)
        return printable(name)
    }

    static func printable(_ text: String) -> String { ValidationError.printable(PathText.shown(text)) }

    private static func line(_ parts: [String?]) -> String {
        parts.compactMap(\.self).joined(separator: "  ")
    }

    private var format: String {
        let name = file.rawPreview?.format.rawValue ?? file.format.rawValue
        let page = file.pages > 1 ? "  page \(file.page) of \(file.pages)" : ""
        return "\(name)  \(file.uprightSize.width)x\(file.uprightSize.height)\(page)"
    }

    private static func place(_ location: Location) -> String {
        #if Library
        if let name = towns?.name(latitude: location.latitude, longitude: location.longitude) {
            return printable("\(name) (GeoNames)")
        }
        #endif
        func rounded(_ degrees: Double) -> Double { (degrees * 1e5).rounded() / 1e5 }
        return "\(rounded(location.latitude)), \(rounded(location.longitude))"
    }

    #if Library
    private static let loaded = Once<PlaceNames?>()

    /// The installed towns; a picture is shown without them, too.
    private static var towns: PlaceNames? {
        loaded.valueEvenIfCancelled { try? UserSettings.towns().names() }
    }
    #endif
}
#endif
