import Basics
import Batches
import Files
import TestSupport
import Testing
import ViewportGeometry

@testable import Crops

@Suite("Balanced crops")
struct BalanceTests {
    /// Items of the classes 0, 1 and 2, of which there are 1, 3 and 8.
    private let items = [0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2].enumerated().map { number, label in
        BatchItem(
            line: number + 1, path: "\(number).jpg", file: "\(number).jpg", relativePath: "\(number).jpg",
            rest: [JSONValue.Member(name: "label", value: .int(label))])
    }

    private func plan(_ count: Int, rects: [Rect<ImageSpace>]? = nil) throws -> CropPlan {
        let classes = try CropClasses(of: "label", items)
        return CropPlan(
            items, rects: rects, size: PixelSize(width: 8, height: 8), count: 1, seed: 3,
            groups: CropGroups(of: classes, items, count: count))
    }

    @Test("have as many of each class, and of each image of a class, in every share of the crops")
    func balance() throws {
        let plan = try plan(240)
        #expect(plan.count == 720)
        var counts = [Int](repeating: 0, count: items.count)
        for number in 0..<720 { counts[plan.item(of: number, attempt: 0)] += 1 }
        #expect(counts == [240, 80, 80, 80] + [Int](repeating: 30, count: 8))
        // Shares of every third crop would have one class each if classes took turns.
        for shard in 0..<3 {
            let classes = stride(from: shard, to: 720, by: 3).map { number in
                plan.classOf(plan.item(of: number, attempt: 0))
            }
            #expect((0..<3).allSatisfy { one in classes.count { $0 == one } > 50 })
        }
        // Other images are tried of the same class.
        for number in 0..<60 {
            let own = plan.classOf(plan.item(of: number, attempt: 0))
            #expect((1..<9).allSatisfy { plan.classOf(plan.item(of: number, attempt: $0)) == own })
        }
    }

    @Test("take no place of an image twice")
    func places() throws {
        let plan = try plan(240)
        var places: [Int: Set<Int>] = [:]
        for number in 0..<720 {
            let item = plan.item(of: number, attempt: 0)
            places[item, default: []].insert(plan.place(of: number, attempt: 0, in: item, places: 400))
        }
        #expect(places[0]?.count == 240 && places[1]?.count == 80 && places[11]?.count == 30)
    }

    @Test("of lists repeat the lines of classes that have fewer, each as often")
    func repeated() throws {
        let rect = Rect<ImageSpace>(x: 0, y: 0, width: 8, height: 8)
        let plan = try plan(6, rects: items.map { _ in rect })
        #expect(plan.count == 18 && plan.groups.repeated == 5 + 3)
        var counts = [Int](repeating: 0, count: items.count)
        for number in 0..<18 { counts[plan.item(of: number, attempt: 0)] += 1 }
        #expect(counts[0] == 6 && counts[1...3].allSatisfy { $0 == 2 } && counts[4...].allSatisfy { $0 <= 1 })
    }

    @Test("have another recipe")
    func recipes() throws {
        var excluded = try plan(6)
        excluded.exclusion = .masks(try OutputTemplate("mask.png"))
        var rects = try plan(6)
        rects.exclusion = .rects([FilePath("0.jpg"): [Rect(x: 0, y: 0, width: 8, height: 8)]])
        let plain = CropPlan(items, size: PixelSize(width: 8, height: 8), count: 18, seed: 3)
        #expect(Set([try plan(6), try plan(7), excluded, rects, plain].map(\.recipe)).count == 5)
    }
}

extension CropPlan {
    fileprivate func classOf(_ item: Int) -> Int { items[item].rest[0].value.int ?? -1 }
}

@Suite("What is excluded of images")
struct ExclusionTests {
    /// Random rectangles of a picture, and the pixels that they cover.
    private func random(_ seed: UInt64, _ size: PixelSize<UprightGrid>, _ count: Int) -> (
        rects: [PixelRect<UprightGrid>], pixels: Set<Int>
    ) {
        var random = SplitMix64(seed: seed)
        var (rects, pixels): ([PixelRect<UprightGrid>], Set<Int>) = ([], [])
        for _ in 0..<count {
            let (x, y) = (Int(random.next() % 50), Int(random.next() % 30))
            let rect = PixelRect<UprightGrid>(
                x: x, y: y, width: min(1 + Int(random.next() % 12), size.width - x),
                height: min(1 + Int(random.next() % 9), size.height - y))
            rects.append(rect)
            for y in rect.minY..<rect.maxY {
                for x in rect.minX..<rect.maxX { pixels.insert(y * size.width + x) }
            }
        }
        return (rects, pixels)
    }

    @Test("leaves exactly the places whose crops touch none of it", arguments: 0..<12)
    func places(_ seed: Int) {
        let size = PixelSize<UprightGrid>(width: 50, height: 30)
        let crop = PixelSize<OutputGrid>(width: 5 + seed % 4, height: 3 + seed % 7)
        let (rects, pixels) = random(UInt64(seed), size, seed)
        let area = ExcludedArea(size, rects)
        let free = FreePlaces(area, crop: crop)
        var expected: [[Int]] = []
        for y in 0...(size.height - crop.height) {
            for x in 0...(size.width - crop.width) {
                let isFree = (y..<(y + crop.height)).allSatisfy { row in
                    (x..<(x + crop.width)).allSatisfy { !pixels.contains(row * size.width + $0) }
                }
                if isFree { expected.append([x, y]) }
                let rect = PixelRect<UprightGrid>(x: x, y: y, width: crop.width, height: crop.height)
                #expect(area.touches(rect) == !isFree)
                let isWhole = (y..<(y + crop.height)).allSatisfy { row in
                    (x..<(x + crop.width)).allSatisfy { pixels.contains(row * size.width + $0) }
                }
                let covered = area.covers(
                    Rect(x: Double(x), y: Double(y), width: Double(crop.width), height: Double(crop.height)))
                #expect(covered == isWhole)
            }
        }
        #expect(free.count == expected.count)
        #expect((0..<free.count).map { [free[$0].x, free[$0].y] } == expected)
    }

    @Test("has no places where a crop is larger than the image, or all of it is excluded")
    func none() {
        let size = PixelSize<UprightGrid>(width: 20, height: 20)
        let whole = ExcludedArea(size, [PixelRect(x: 0, y: 0, width: 20, height: 20)])
        #expect(FreePlaces(whole, crop: PixelSize(width: 4, height: 4)).count == 0)
        #expect(FreePlaces(ExcludedArea(size, []), crop: PixelSize(width: 21, height: 4)).count == 0)
        #expect(FreePlaces(ExcludedArea(size, []), crop: PixelSize(width: 20, height: 20)).count == 1)
    }
}
