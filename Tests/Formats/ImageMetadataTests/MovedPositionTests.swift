import Foundation
import TestSupport
import Testing
import ViewportGeometry

@testable import ImageMetadata

@Suite("Positions inside a picture")
struct MovedPositionTests {
    /// A rectangle in parts of the sides, with at most six decimals.
    struct Area: Sendable {
        var (x, y, width, height): (Double, Double, Double, Double)
        init(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
            (self.x, self.y, self.width, self.height) = (x, y, width, height)
        }
    }

    /// A picture that is made of one of 800x600 with the orientation 6, and where the area 0.1, 0.1, 0.1, 0.2 lies in it.
    struct Change: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var turn = Orientation.up
        var cut = PictureMap.Area(0, 0, 1, 1)
        var size: PixelSize<StoredGrid>
        /// Nil where it lies outside.
        var area: Area?

        var map: PictureMap {
            var map = PictureMap(MovedPositionTests.size, .right, to: size)
            map.turn(turn)
            map.cut(to: cut)
            return map
        }
    }

    private static let size = PixelSize<StoredGrid>(width: 800, height: 600)
    private static let area = Area(0.1, 0.1, 0.1, 0.2)

    static let changes = [
        Change(testDescription: "scaled", size: PixelSize(width: 400, height: 300), area: area),
        Change(
            testDescription: "upright", turn: .right, size: PixelSize(width: 600, height: 800),
            area: Area(0.7, 0.1, 0.2, 0.1)),
        Change(
            testDescription: "turned left", turn: .left, size: PixelSize(width: 600, height: 800),
            area: Area(0.1, 0.8, 0.2, 0.1)),
        Change(testDescription: "mirrored", turn: .upMirrored, size: size, area: Area(0.8, 0.1, 0.1, 0.2)),
        Change(testDescription: "upside down", turn: .down, size: size, area: Area(0.8, 0.7, 0.1, 0.2)),
        Change(
            testDescription: "transposed", turn: .leftMirrored, size: PixelSize(width: 600, height: 800),
            area: Area(0.1, 0.1, 0.2, 0.1)),
        Change(
            testDescription: "left half", cut: PictureMap.Area(0, 0, 0.5, 1),
            size: PixelSize(width: 400, height: 600),
            area: Area(0.2, 0.1, 0.2, 0.2)),
        Change(
            testDescription: "turned, then its right half, smaller", turn: .right,
            cut: PictureMap.Area(0.5, 0, 1, 1),
            size: PixelSize(width: 300, height: 800), area: Area(0.4, 0.1, 0.4, 0.1)),
        Change(
            testDescription: "partly cut", cut: PictureMap.Area(0.15, 0, 0.65, 0.2),
            size: PixelSize(width: 400, height: 120),
            area: Area(0, 0.5, 0.1, 0.5)),
        Change(
            testDescription: "in a larger frame", cut: PictureMap.Area(-0.5, -0.5, 1.5, 1.5),
            size: PixelSize(width: 1600, height: 1200), area: Area(0.3, 0.3, 0.05, 0.1)),
        Change(
            testDescription: "outside", cut: PictureMap.Area(0.5, 0, 1, 1),
            size: PixelSize(width: 400, height: 600),
            area: nil),
    ]

    /// How programs state a rectangle with the name Ann.
    enum Form: String, CaseIterable, Sendable {
        case elements, attributes, descriptions, pixels, withoutSides, ofUpright, microsoft,
            microsoftAttributes
        case iptc, iptcPixels, polygon, subject

        private func number(_ value: Double) -> String {
            var text = "\((value * 1_000_000).rounded() / 1_000_000)"
            if text.hasSuffix(".0") { text.removeLast(2) }
            return text
        }

        /// The properties of a description.
        func text(_ area: Area, _ size: PixelSize<StoredGrid>) -> String {
            let (x, y) = (area.x + area.width / 2, area.y + area.height / 2)
            let (across, down) = (Double(size.width), Double(size.height))
            func pixels(_ value: Double, _ side: Double) -> String { "\(Int((value * side).rounded()))" }
            func list(_ item: String, sides: String) -> String {
                "<mwg-rs:Regions rdf:parseType='Resource'>\(sides)<mwg-rs:RegionList><rdf:Bag>\(item)</rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>"
            }
            let sides =
                "<mwg-rs:AppliedToDimensions rdf:parseType='Resource'><stDim:w>\(size.width)</stDim:w><stDim:h>\(size.height)</stDim:h><stDim:unit>pixel</stDim:unit></mwg-rs:AppliedToDimensions>"
            let elements = """
                <rdf:li rdf:parseType='Resource'><mwg-rs:Area rdf:parseType='Resource'><stArea:x>\(number(x))</stArea:x>
                <stArea:y>\(number(y))</stArea:y><stArea:w>\(number(area.width))</stArea:w><stArea:h>\(number(area.height))</stArea:h>
                <stArea:unit>normalized</stArea:unit></mwg-rs:Area><mwg-rs:Name>Ann</mwg-rs:Name></rdf:li>
                """
            let attributes =
                "stArea:x=\"\(number(x))\" stArea:y=\"\(number(y))\" stArea:w=\"\(number(area.width))\" stArea:h=\"\(number(area.height))\" stArea:unit=\"normalized\""
            switch self {
            case .elements: return list(elements, sides: sides)
            case .attributes:
                return list(
                    "<rdf:li><rdf:Description mwg-rs:Name='Ann'><mwg-rs:Area \(attributes)/></rdf:Description></rdf:li>",
                    sides:
                        "<mwg-rs:AppliedToDimensions stDim:w='\(size.width)' stDim:h='\(size.height)' stDim:unit='pixel'/>"
                )
            case .descriptions:
                return
                    "<mwg-rs:Regions><rdf:Description>\(sides)<mwg-rs:RegionList><rdf:Seq><rdf:li><rdf:Description><mwg-rs:Name>Ann</mwg-rs:Name><mwg-rs:Area><rdf:Description \(attributes)/></mwg-rs:Area></rdf:Description></rdf:li></rdf:Seq></mwg-rs:RegionList></rdf:Description></mwg-rs:Regions>"
            case .pixels:
                return list(
                    "<rdf:li mwg-rs:Name='Ann'><mwg-rs:Area stArea:x='\(pixels(x, across))' stArea:y='\(pixels(y, down))' stArea:w='\(pixels(area.width, across))' stArea:h='\(pixels(area.height, down))' stArea:unit='pixel'/></rdf:li>",
                    sides: sides)
            case .withoutSides: return list(elements, sides: "")
            case .ofUpright: return list(elements, sides: sides)
            case .microsoft, .microsoftAttributes:
                let rectangle = [area.x, area.y, area.width, area.height].map(number).joined(separator: ", ")
                let item =
                    self == .microsoft
                    ? "<rdf:li rdf:parseType='Resource'><MPReg:Rectangle>\(rectangle)</MPReg:Rectangle><MPReg:PersonDisplayName>Ann</MPReg:PersonDisplayName></rdf:li>"
                    : "<rdf:li><rdf:Description MPReg:Rectangle='\(rectangle)' MPReg:PersonDisplayName='Ann'/></rdf:li>"
                return
                    "<MP:RegionInfo rdf:parseType='Resource'><MPRI:Regions><rdf:Bag>\(item)</rdf:Bag></MPRI:Regions></MP:RegionInfo>"
            case .iptc, .iptcPixels, .polygon: return iptc(area, across, down)
            case .subject:
                let numbers = [
                    pixels(x, across), pixels(y, down), pixels(area.width, across), pixels(area.height, down),
                ]
                return
                    "<exif:SubjectArea><rdf:Seq>\(numbers.map { "<rdf:li>\($0)</rdf:li>" }.joined())</rdf:Seq></exif:SubjectArea>"
            }
        }

        private func iptc(_ area: Area, _ across: Double, _ down: Double) -> String {
            let isPixel = self == .iptcPixels
            func text(_ value: Double, _ side: Double) -> String {
                isPixel ? "\(Int((value * side).rounded()))" : number(value)
            }
            let unit = "<Iptc4xmpExt:rbUnit>\(isPixel ? "pixel" : "relative")</Iptc4xmpExt:rbUnit>"
            func tag(_ name: String, _ value: String) -> String {
                "<Iptc4xmpExt:\(name)>\(value)</Iptc4xmpExt:\(name)>"
            }
            var boundary = tag("rbShape", self == .polygon ? "polygon" : "rectangle") + unit
            if self == .polygon {
                let corners = [
                    (area.x, area.y), (area.x + area.width, area.y),
                    (area.x + area.width, area.y + area.height), (area.x, area.y + area.height),
                ]
                boundary +=
                    "<Iptc4xmpExt:rbVertices><rdf:Seq>"
                    + corners.map {
                        "<rdf:li rdf:parseType='Resource'>\(tag("rbX", text($0.0, across)))\(tag("rbY", text($0.1, down)))</rdf:li>"
                    }.joined() + "</rdf:Seq></Iptc4xmpExt:rbVertices>"
            } else {
                boundary +=
                    tag("rbX", text(area.x, across)) + tag("rbY", text(area.y, down))
                    + tag("rbW", text(area.width, across))
                    + tag("rbH", text(area.height, down))
            }
            return
                "<Iptc4xmpExt:ImageRegion><rdf:Bag><rdf:li rdf:parseType='Resource'><Iptc4xmpExt:RegionBoundary rdf:parseType='Resource'>\(boundary)</Iptc4xmpExt:RegionBoundary><Iptc4xmpExt:Name>Ann</Iptc4xmpExt:Name></rdf:li></rdf:Bag></Iptc4xmpExt:ImageRegion>"
        }
    }

    private static let namespaces = [
        "mwg-rs": "http://www.metadataworkinggroup.com/schemas/regions/",
        "stArea": "http://ns.adobe.com/xmp/sType/Area#",
        "stDim": "http://ns.adobe.com/xap/1.0/sType/Dimensions#", "MP": "http://ns.microsoft.com/photo/1.2/",
        "MPRI": "http://ns.microsoft.com/photo/1.2/t/RegionInfo#",
        "MPReg": "http://ns.microsoft.com/photo/1.2/t/Region#",
        "Iptc4xmpExt": "http://iptc.org/std/Iptc4xmpExt/2008-02-29/", "exif": "http://ns.adobe.com/exif/1.0/",
        "crs": "http://ns.adobe.com/camera-raw-settings/1.0/", "acdsee-rs": "http://ns.acdsee.com/regions/",
        "xmp": "http://ns.adobe.com/xap/1.0/", "dc": "http://purl.org/dc/elements/1.1/",
        "apple-fi": "http://ns.apple.com/faceinfo/1.0/",
    ]

    private func packet(_ properties: String) -> String {
        let bound = Self.namespaces.sorted { $0.key < $1.key }.map { " xmlns:\($0.key)=\"\($0.value)\"" }
            .joined()
        return """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <rdf:Description rdf:about=""\(bound)>\(properties)<dc:format>image/jpeg</dc:format></rdf:Description></rdf:RDF></x:xmpmeta>
            """
    }

    private func moved(_ properties: String, by map: PictureMap?) throws -> String {
        String(
            decoding: try #require(XMPPacket.moved(Array(packet(properties).utf8), by: map)), as: UTF8.self)
    }

    @Test("move with its pixels, in every form that is written", arguments: Form.allCases, changes)
    func forms(_ form: Form, _ change: Change) throws {
        // Programs that turn pictures before they look at them state the sides of the turned picture.
        let isUpright = form == .ofUpright
        let stated = form.text(
            isUpright ? Area(0.7, 0.1, 0.2, 0.1) : Self.area,
            isUpright ? PixelSize(width: 600, height: 800) : Self.size)
        let result = try moved(stated, by: change.map)
        let expected = change.area.map { form.text($0, change.size) } ?? ""
        guard form == .polygon else {
            #expect(result == packet(expected))
            return
        }
        // Its first corner is where it was on the object.
        func corners(_ text: String) -> [String] {
            text.replacing("</rdf:Seq>", with: "<rdf:li").components(separatedBy: "<rdf:li").sorted()
        }
        #expect(corners(result) == corners(packet(expected)))
    }

    @Test(
        "are left out where it is not known where they went, or which picture they belong to",
        arguments: Form.allCases)
    func unknown(_ form: Form) throws {
        let stated = form.text(Self.area, Self.size)
        #expect(try moved(stated, by: nil) == packet(""))
        // A picture that another program has cut.
        let other = form.text(Self.area, PixelSize(width: 500, height: 600))
        guard other.contains("stDim"), form != .ofUpright else { return }
        #expect(try moved(other, by: Self.changes[2].map) == packet(""))
    }

    @Test("stay as they are in the same picture")
    func same() throws {
        let map = PictureMap(Self.size, .right, to: Self.size)
        for form in Form.allCases {
            let stated = form.text(Self.area, PixelSize(width: 500, height: 600))
            #expect(try moved(stated, by: map) == packet(stated))
        }
    }

    @Test("of circles and points move, and those whose center is cut go")
    func circles() throws {
        let circle =
            "<mwg-rs:Regions><rdf:Description><mwg-rs:RegionList><rdf:Bag><rdf:li><mwg-rs:Area stArea:x='0.15' stArea:y='0.2' stArea:d='0.1'/></rdf:li></rdf:Bag></mwg-rs:RegionList></rdf:Description></mwg-rs:Regions>"
        let turned = try moved(circle, by: Self.changes[1].map)
        #expect(turned.contains("stArea:x='0.8' stArea:y='0.15' stArea:d='0.1'"))
        // Half of the width: the shorter side is 400 of 600 pixels.
        let half = try moved(circle, by: Self.changes[6].map)
        #expect(half.contains("stArea:x='0.3' stArea:y='0.2' stArea:d='0.15'"))
        #expect(try moved(circle, by: Self.changes[10].map) == packet(""))
        let point =
            "<exif:SubjectLocation><rdf:Seq><rdf:li>120</rdf:li><rdf:li>120</rdf:li></rdf:Seq></exif:SubjectLocation>"
        #expect(
            try moved(point, by: Self.changes[1].map).contains("<rdf:li>480</rdf:li><rdf:li>120</rdf:li>"))
        #expect(
            PictureMap(Self.size, .up, to: PixelSize(width: 400, height: 300)).subject([400, 300, 80]) == [
                200, 150, 40,
            ])
        let round =
            "<Iptc4xmpExt:ImageRegion><rdf:Bag><rdf:li><Iptc4xmpExt:RegionBoundary Iptc4xmpExt:rbShape='circle' Iptc4xmpExt:rbUnit='relative' Iptc4xmpExt:rbX='0.15' Iptc4xmpExt:rbY='0.2' Iptc4xmpExt:rbRx='0.03'/></rdf:li></rdf:Bag></Iptc4xmpExt:ImageRegion>"
        #expect(
            try moved(round, by: Self.changes[1].map).contains(
                "rbX='0.8' Iptc4xmpExt:rbY='0.15' Iptc4xmpExt:rbRx='0.04'"))
    }

    @Test(
        "in forms that are not known are left out of pictures that are cut or turned",
        arguments: [
            "<crs:CropTop>0.1</crs:CropTop><crs:CropAngle>2</crs:CropAngle><crs:HasCrop>True</crs:HasCrop>",
            "<acdsee-rs:Regions rdf:parseType='Resource'><acdsee-rs:Name>Ann</acdsee-rs:Name></acdsee-rs:Regions>",
            "<xmp:Thumbnails><rdf:Alt><rdf:li>x</rdf:li></rdf:Alt></xmp:Thumbnails>",
            "<crs:RetouchAreas><rdf:Seq><rdf:li>x</rdf:li></rdf:Seq></crs:RetouchAreas>",
        ])
    func others(_ properties: String) throws {
        for (change, isKept) in [(Self.changes[0], true), (Self.changes[1], false), (Self.changes[6], false)]
        {
            #expect(try moved(properties, by: change.map) == packet(isKept ? properties : ""))
        }
    }

    @Test("in a bag are moved one by one; names without a place stay, the angles of faces do not")
    func bag() throws {
        let angle = "<mwg-rs:Extensions><rdf:Description apple-fi:AngleInfoRoll='270'/></mwg-rs:Extensions>"
        func item(_ name: String, _ x: String, _ more: String = "") -> String {
            "<rdf:li><rdf:Description><mwg-rs:Name>\(name)</mwg-rs:Name><mwg-rs:Area stArea:x='\(x)' stArea:y='0.5' stArea:w='0.1' stArea:h='0.1'/>\(more)</rdf:Description></rdf:li>"
        }
        func bag(_ items: String) -> String {
            "<mwg-rs:Regions><rdf:Description><mwg-rs:RegionList><rdf:Bag>\(items)</rdf:Bag></mwg-rs:RegionList></rdf:Description></mwg-rs:Regions>"
        }
        let half = try moved(
            bag(item("Ann", "0.1", angle) + item("Bob", "0.9") + item("Cy", "x")), by: Self.changes[6].map)
        #expect(
            half == packet(bag(item("Ann", "0.2", angle).replacing("stArea:w='0.1'", with: "stArea:w='0.2'")))
        )
        let turned = try moved(bag(item("Ann", "0.1", angle)), by: Self.changes[3].map)
        #expect(turned == packet(bag(item("Ann", "0.9"))))
        let name =
            "<MP:RegionInfo rdf:parseType='Resource'><MPRI:Regions><rdf:Bag><rdf:li MPReg:PersonDisplayName='Ann'/></rdf:Bag></MPRI:Regions></MP:RegionInfo>"
        #expect(try moved(name, by: Self.changes[6].map) == packet(name))
    }

    @Test("of a packet that is damaged, or in UTF-16, are not kept by mistake")
    func damaged() throws {
        let text = packet(Form.elements.text(Self.area, Self.size))
        #expect(XMPPacket.moved(Array(text.utf8.dropLast(40)), by: Self.changes[1].map) == nil)
        #expect(XMPPacket.moved(Array("<a".utf8), by: Self.changes[1].map) == Array("<a".utf8))
        func wide(_ text: String) -> [UInt8] {
            var bytes: [UInt8] = [0xFF, 0xFE]
            for unit in text.utf16 { bytes += [UInt8(unit & 255), UInt8(unit >> 8)] }
            return bytes
        }
        let expected = packet(
            Form.elements.text(Area(0.7, 0.1, 0.2, 0.1), PixelSize(width: 600, height: 800)))
        #expect(XMPPacket.moved(wide(text), by: Self.changes[1].map) == wide(expected))
    }
}
