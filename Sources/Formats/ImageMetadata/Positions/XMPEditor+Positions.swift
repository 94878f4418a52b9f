internal import Basics
internal import ViewportGeometry

/// Positions inside the picture: faces and other regions, and the subject.
///
/// Those that programs read by the same names are moved with the picture; others are left out. Sources: MWG Guidelines 2.0,
/// "Image Regions"; Microsoft, "People Tagging"; IPTC Photo Metadata Standard 2023.1, "Image Region"; Exif 2.32, "SubjectArea".
extension XMPEditor {
    /// The properties whose positions are moved.
    private static let movedNames: Set = [
        "mwg-rs:Regions", "MP:RegionInfo", "Iptc4xmpExt:ImageRegion", "exif:SubjectArea",
        "exif:SubjectLocation",
    ]

    /// Whether a property has positions, or a picture of the picture, in a form that is not moved.
    private static func isLeftOut(_ name: String) -> Bool {
        ["acdsee-rs:", "GDepth:", "GImage:", "GFocus:FocalPoint", "crs:Crop", "crs:HasCrop"].contains(
            where: name.hasPrefix) || leftOut.contains(name)
    }

    private static let leftOut: Set = [
        "xmp:Thumbnails", "crs:RetouchAreas", "crs:RetouchInfo", "crs:RedEyeInfo",
        "crs:PaintBasedCorrections",
        "crs:GradientBasedCorrections", "crs:CircularGradientBasedCorrections",
        "crs:MaskGroupBasedCorrections",
    ]

    /// The namespaces of all of these, by which packets without any are recognized.
    private static let namespaces = [
        "regions/", "/photo/1.2/", "Iptc4xmpExt/", "camera-raw-settings/", "photos/1.0/", "Thumbnails",
        "Subject",
    ]

    /// Whether a packet may have positions.
    fileprivate static func hasPositions(_ packet: [UInt8]) -> Bool {
        let isWide =
            packet.starts(with: [0xFF, 0xFE]) || packet.starts(with: [0xFE, 0xFF])
            || packet.prefix(2).contains(0)
        return isWide || namespaces.contains { packet.firstIndex(of: $0) != nil }
    }

    /// Returns a packet whose positions are those of another picture.
    fileprivate static func moved(_ packet: [UInt8], by map: PictureMap?) throws(SidecarFault) -> [UInt8] {
        let text = try SidecarText(packet)
        var kept = text.utf8
        if map?.isWhole != true { kept = XMPPacket.leavingOut(of: kept, isLeftOut) }
        var editor = try XMPEditor(kept, of: movedNames)
        editor.movePositions(by: map)
        return text.encoded(editor.edited)
    }

    private mutating func movePositions(by map: PictureMap?) {
        for property in layout.properties {
            guard case .element(let element) = property.place, let map,
                attempt({ $0.move(property.name, element, by: map) })
            else {
                cut(property)
                continue
            }
        }
    }

    /// Moves the positions of a property; returns false if none is left.
    private mutating func move(_ name: String, _ element: XMPElement, by map: PictureMap) -> Bool {
        switch name {
        case "mwg-rs:Regions": moveRegions(element, by: map)
        case "MP:RegionInfo":
            moveItems(of: element.field("MPRI:Regions")) { $0.moveRectangle(of: $1, by: map) }
        case "Iptc4xmpExt:ImageRegion": moveItems(of: .element(element)) { $0.moveBoundary(of: $1, by: map) }
        default: moveSubject(element, by: map)
        }
    }

    /// Moves the items of a list, and removes those for which `move` returns false; returns false if none is left.
    private mutating func moveItems(
        of list: XMPElement.Field?, _ move: (inout Self, XMPElement) -> Bool
    ) -> Bool {
        guard case .element(let list) = list, let items = list.items else { return false }
        var count = 0
        for item in items {
            if attempt({ move(&$0, item) }) { count += 1 } else { replace(item.range, "") }
        }
        return count > 0
    }

    // MARK: MWG

    private mutating func moveRegions(_ element: XMPElement, by map: PictureMap) -> Bool {
        var (own, sides): (PictureMap, (Double, Double)?) = (map, nil)
        if case .element(let applied) = element.field("mwg-rs:AppliedToDimensions") {
            guard let width = applied.number("stDim:w"), let height = applied.number("stDim:h"),
                let ofPicture = map.ofPicture(width, height)
            else { return false }
            (own, sides) = (ofPicture, (width, height))
            set(applied, "stDim:w", map.size.width)
            set(applied, "stDim:h", map.size.height)
            if let unit = applied.field("stDim:unit") { setText(unit, "pixel") }
        }
        let pixels = sides ?? (Double(map.source.width), Double(map.source.height))
        return moveItems(of: element.field("mwg-rs:RegionList")) { editor, item in
            editor.moveArea(of: item, by: own, pixels)
        }
    }

    /// - Parameter sides: the width and the height of the picture that areas in pixels apply to.
    private mutating func moveArea(
        of item: XMPElement, by map: PictureMap, _ sides: (width: Double, height: Double)
    ) -> Bool {
        guard case .element(let area) = item.field("mwg-rs:Area"), var x = area.number("stArea:x"),
            var y = area.number("stArea:y")
        else { return false }
        let unit = area.field("stArea:unit")?.text ?? "normalized"
        guard ["normalized", "pixel"].contains(unit) else { return false }
        let isPixel = unit == "pixel"
        if isPixel { (x, y) = (x / sides.width, y / sides.height) }
        // The angles of faces, in extensions, are those of the former picture.
        if map.isTurned, let extensions = item.field("mwg-rs:Extensions") { replace(extensions.range, "") }
        func write(_ value: Double, _ isAcross: Bool) -> String {
            let side = isAcross ? map.size.width : map.size.height
            return isPixel ? "\(Int((value * Double(side)).rounded()))" : Self.decimal(value)
        }
        if let diameter = area.number("stArea:d") {
            // A part of the shorter side.
            let source = isPixel ? Double(map.source.width) / sides.width : Double(map.source.shorterSide)
            guard let circle = map.circle((x, y), diameter * source) else { return false }
            set(area, "stArea:x", write(circle.center.x, true))
            set(area, "stArea:y", write(circle.center.y, false))
            set(
                area, "stArea:d",
                isPixel
                    ? "\(Int(circle.diameter.rounded()))"
                    : Self.decimal(circle.diameter / Double(map.size.shorterSide)))
            return true
        }
        var (width, height) = (area.number("stArea:w") ?? 0, area.number("stArea:h") ?? 0)
        if isPixel { (width, height) = (width / sides.width, height / sides.height) }
        guard
            let part = map.part(
                of: PictureMap.Area(x - width / 2, y - height / 2, x + width / 2, y + height / 2))
        else { return false }
        set(area, "stArea:x", write(part.center.x, true))
        set(area, "stArea:y", write(part.center.y, false))
        set(area, "stArea:w", write(part.width, true))
        set(area, "stArea:h", write(part.height, false))
        return true
    }

    // MARK: Microsoft

    private mutating func moveRectangle(of item: XMPElement, by map: PictureMap) -> Bool {
        // Names without a place are those of the picture.
        guard let field = item.field("MPReg:Rectangle") else { return true }
        let parts = (field.text ?? "").split(separator: ",").compactMap { Double($0.trimmed()) }
        guard parts.count == 4, parts.allSatisfy(\.isFinite),
            let part = map.part(
                of: PictureMap.Area(parts[0], parts[1], parts[0] + parts[2], parts[1] + parts[3]))
        else { return false }
        setText(
            field,
            [part.minX, part.minY, part.width, part.height].map(Self.decimal).joined(separator: ", "))
        return true
    }

    // MARK: IPTC

    private mutating func moveBoundary(of item: XMPElement, by map: PictureMap) -> Bool {
        // A region without a boundary is the whole picture.
        guard let field = item.field("Iptc4xmpExt:RegionBoundary") else { return true }
        guard case .element(let boundary) = field,
            let unit = boundary.field("Iptc4xmpExt:rbUnit")?.text, ["relative", "pixel"].contains(unit)
        else { return false }
        let isPixel = unit == "pixel"
        let source = isPixel ? (Double(map.source.width), Double(map.source.height)) : (1, 1)
        let new = isPixel ? (Double(map.size.width), Double(map.size.height)) : (1, 1)
        func write(_ value: Double) -> String { isPixel ? "\(Int(value.rounded()))" : Self.decimal(value) }
        func number(_ element: XMPElement, _ name: String) -> Double? {
            element.number("Iptc4xmpExt:\(name)")
        }
        switch boundary.field("Iptc4xmpExt:rbShape")?.text {
        case "rectangle":
            guard let x = number(boundary, "rbX"), let y = number(boundary, "rbY"),
                let width = number(boundary, "rbW"), let height = number(boundary, "rbH"),
                let part = map.part(
                    of: PictureMap.Area(
                        x / source.0, y / source.1, (x + width) / source.0, (y + height) / source.1))
            else { return false }
            set(boundary, "Iptc4xmpExt:rbX", write(part.minX * new.0))
            set(boundary, "Iptc4xmpExt:rbY", write(part.minY * new.1))
            set(boundary, "Iptc4xmpExt:rbW", write(part.width * new.0))
            set(boundary, "Iptc4xmpExt:rbH", write(part.height * new.1))
        case "circle":
            // The radius is a part of the width.
            guard let x = number(boundary, "rbX"), let y = number(boundary, "rbY"),
                let radius = number(boundary, "rbRx"),
                let circle = map.circle(
                    (x / source.0, y / source.1), radius * (isPixel ? 1 : Double(map.source.width)))
            else { return false }
            set(boundary, "Iptc4xmpExt:rbX", write(circle.center.x * new.0))
            set(boundary, "Iptc4xmpExt:rbY", write(circle.center.y * new.1))
            set(
                boundary, "Iptc4xmpExt:rbRx",
                write(circle.diameter / (isPixel ? 1 : Double(map.size.width))))
        case "polygon":
            guard case .element(let list) = boundary.field("Iptc4xmpExt:rbVertices"),
                let vertices = list.items, vertices.count > 2
            else { return false }
            let points = vertices.compactMap { vertex in
                number(vertex, "rbX").flatMap { x in
                    number(vertex, "rbY").map { (x: x / source.0, y: $0 / source.1) }
                }
            }
            let (across, down) = (points.map(\.x), points.map(\.y))
            guard points.count == vertices.count, let left = across.min(), let right = across.max(),
                let top = down.min(), let bottom = down.max(),
                map.part(of: PictureMap.Area(left, top, right, bottom)) != nil
            else { return false }
            for (vertex, point) in zip(vertices, points) {
                // Corners outside move to the edge.
                let moved = map.point(point)
                set(vertex, "Iptc4xmpExt:rbX", write(min(max(moved.x, 0), 1) * new.0))
                set(vertex, "Iptc4xmpExt:rbY", write(min(max(moved.y, 0), 1) * new.1))
            }
        default: return false
        }
        return true
    }

    // MARK: Exif

    private mutating func moveSubject(_ element: XMPElement, by map: PictureMap) -> Bool {
        guard let items = element.items,
            let moved = map.subject(items.compactMap { $0.text.flatMap { Int($0) } }),
            moved.count == items.count
        else { return false }
        for (item, number) in zip(items, moved) { setText(item, "\(number)") }
        return true
    }

    // MARK: Values

    private mutating func set(_ element: XMPElement, _ name: String, _ number: Int) {
        set(element, name, "\(number)")
    }

    private mutating func set(_ element: XMPElement, _ name: String, _ text: String) {
        if let field = element.field(name) { setText(field, text) }
    }

    private mutating func setText(_ field: XMPElement.Field, _ text: String) {
        switch field {
        case .attribute(let attribute): setText(attribute, text)
        case .element(let element): setText(element, text)
        }
    }

    /// A number with up to six decimals.
    private static func decimal(_ value: Double) -> String {
        let unit = 1_000_000
        let total = Int((value * Double(unit)).rounded())
        var digits = "\(unit + abs(total) % unit)".dropFirst()
        while digits.last == "0" { digits.removeLast() }
        let whole = (total < 0 ? "-" : "") + "\(abs(total) / unit)"
        return digits.isEmpty ? whole : "\(whole).\(digits)"
    }
}

extension XMPPacket {
    /// Returns a packet whose positions inside the picture, such as faces, are those of another picture; nil if it has positions
    /// that cannot be read.
    ///
    /// - Parameter map: where points of the picture lie in the other one; nil if that is not known, so that none is kept.
    package static func moved(_ packet: [UInt8], by map: PictureMap?) -> [UInt8]? {
        if let map, map.isSame { return packet }
        return XMPEditor.hasPositions(packet) ? try? XMPEditor.moved(packet, by: map) : packet
    }
}

extension XMPElement {
    /// A member of a structure, which is an attribute or an element.
    enum Field {
        case attribute(XMLReader.Attribute)
        case element(XMPElement)

        /// Its text; nil for structures.
        var text: String? {
            switch self {
            case .attribute(let attribute): attribute.value
            case .element(let element): element.isSimple ? element.text.map { String($0.trimmed()) } : nil
            }
        }

        /// The bytes that state it.
        var range: Range<Int> {
            switch self {
            case .attribute(let attribute): attribute.range
            case .element(let element): element.range
            }
        }
    }

    /// Returns a member of a structure in any of RDF's forms: attributes or elements, in a description or without one.
    func field(_ name: String) -> Field? {
        if let own = attributes.first(where: { $0.name == name }) { return .attribute(own.attribute) }
        for child in children {
            if child.resolved == name { return .element(child) }
            if child.resolved == "rdf:Description", let field = child.field(name) { return field }
        }
        return nil
    }

    /// The number of a member.
    func number(_ name: String) -> Double? {
        guard let text = field(name)?.text, let number = Double(text.trimmed()), abs(number) < 1e9 else {
            return nil
        }
        return number
    }

    /// The items of the array that is the value; nil for other values.
    var items: [XMPElement]? {
        guard let array = children.first, array.isArray else { return nil }
        return array.children.filter { $0.resolved == "rdf:li" }
    }
}

extension PictureMap {
    /// Returns the numbers of the subject in Exif's form: a point, a circle or a rectangle around a point; nil where it lies
    /// outside.
    ///
    /// - Parameters:
    ///   - numbers: in pixels of the stored picture.
    ///   - sides: the size of that picture as it is stated; nil for the size that it has.
    package func subject(_ numbers: [Int], in sides: (Double, Double)? = nil) -> [Int]? {
        guard (2...4).contains(numbers.count) else { return nil }
        if let sides, let own = ofPicture(sides.0, sides.1) {
            let (across, down) = (Double(own.source.width) / sides.0, Double(own.source.height) / sides.1)
            let scales = [across, down, across, down]
            let scaled = zip(numbers, scales).map { Int((Double($0) * $1).rounded()) }
            return own == self ? subject(scaled) : nil
        }
        guard sides == nil else { return nil }
        let (width, height) = (Double(source.width), Double(source.height))
        let center = (x: Double(numbers[0]) / width, y: Double(numbers[1]) / height)
        func pixels(_ part: Double, _ side: Int) -> Int { Int((part * Double(side)).rounded()) }
        if numbers.count == 3 {
            guard let circle = circle(center, Double(numbers[2])) else { return nil }
            return [
                pixels(circle.center.x, size.width), pixels(circle.center.y, size.height),
                Int(circle.diameter.rounded()),
            ]
        }
        let half =
            numbers.count == 4 ? (Double(numbers[2]) / width / 2, Double(numbers[3]) / height / 2) : (0, 0)
        guard
            let part = part(
                of: Area(center.x - half.0, center.y - half.1, center.x + half.0, center.y + half.1))
        else { return nil }
        let moved = [pixels(part.center.x, size.width), pixels(part.center.y, size.height)]
        return numbers.count == 2
            ? moved : moved + [pixels(part.width, size.width), pixels(part.height, size.height)]
    }
}

extension PixelSize {
    fileprivate var shorterSide: Int { min(width, height) }
}
