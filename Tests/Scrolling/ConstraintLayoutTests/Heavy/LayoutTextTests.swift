import ConstraintLayout
import Foundation
import Testing

@Suite("Rectangles of layouts as text")
struct LayoutTextTests {
    @Test("are printed in one short line")
    func printing() {
        #expect("\(LayoutRect(x: 1, y: 2.5, width: 30, height: 40))" == "1,2.5,30,40")
        #expect("\(LayoutSize(width: 640, height: 480))" == "640x480")
        #expect("\(IntrinsicSize(height: 20))" == "-x20")
        #expect("\(LayoutMargins(top: 1, leading: 2, bottom: 3, trailing: 4))" == "1,2,3,4")
    }

    @Test("are equal after encoding and decoding")
    func coding() throws {
        let rects = [LayoutRect(x: 1, y: 2.5, width: 30, height: 40)]
        #expect(try JSONDecoder().decode([LayoutRect].self, from: JSONEncoder().encode(rects)) == rects)
        let sizes = [IntrinsicSize(height: 20)]
        #expect(try JSONDecoder().decode([IntrinsicSize].self, from: JSONEncoder().encode(sizes)) == sizes)
    }
}
