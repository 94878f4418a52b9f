import Basics
import Batches
import ImageReading
import PictureEncoding
import Pictures
import TestSupport
import Testing
import ViewportGeometry

@testable import Crops

@Suite("The plan of crops")
struct CropPlanTests {
    private func plan(_ count: Int, seed: UInt64 = 7) -> CropPlan {
        let items = (0..<5).map {
            BatchItem(line: $0 + 1, path: "\($0).jpg", file: "\($0).jpg", relativePath: "\($0).jpg")
        }
        return CropPlan(items, size: PixelSize(width: 8, height: 8), count: count, seed: seed)
    }

    @Test("gives each number to one shard, in order", arguments: [1, 2, 7, 200])
    func shards(_ parts: Int) {
        let plan = plan(100)
        var all: [Int] = []
        for index in 0..<parts {
            let shard = Shard(index: index, count: parts)
            let found = plan.numbers(of: shard)
            let numbers = found[0..<found.count]
            #expect(shard != nil)
            #expect(numbers == numbers.sorted())
            all += numbers
        }
        #expect(all.sorted() == Array(0..<100))
        #expect(plan.numbers(of: nil)[0..<100] == Array(0..<100))
    }

    @Test("names crops so that their order is that of their numbers, and other archives have other names")
    func names() {
        let plan = plan(1001)
        #expect(plan.name(of: 0, "a1") == "0000-a1" && plan.name(of: 1000, "a1") == "1000-a1")
        #expect(self.plan(1).name(of: 0, "b2") == "0-b2")
        let names = (0..<1001).map { plan.name(of: $0, plan.recipe) }
        #expect(names == names.sorted())
    }

    @Test("takes each image as often as the others, in an order that the seed decides")
    func balance() {
        let plan = plan(4000)
        var counts = [Int](repeating: 0, count: 5)
        for number in 0..<4000 { counts[plan.item(of: number, attempt: 0)] += 1 }
        #expect(counts == [800, 800, 800, 800, 800])
        let other = self.plan(4000, seed: 8)
        #expect((0..<50).contains { plan.item(of: $0, attempt: 0) != other.item(of: $0, attempt: 0) })
    }

    @Test("takes no place twice as long as there are others", arguments: [(40, 20), (1, 800), (97, 101)])
    func places(_ width: Int, _ height: Int) {
        let plan = plan(4000)
        var places: [Int: Set<Int>] = [:]
        for number in 0..<4000 {
            let item = plan.item(of: number, attempt: 0)
            let place = plan.place(of: number, attempt: 0, in: item, places: width * height)
            #expect((0..<(width * height)).contains(place))
            places[item, default: []].insert(place)
        }
        #expect(places.values.allSatisfy { $0.count == 800 })
    }

    @Test("has the same places in every version")
    func fixed() {
        let plan = plan(4000)
        // Those of the Python package, whose tests have them, too.
        let places = [0, 1, 5, 3999].map { number in
            let item = plan.item(of: number, attempt: 0)
            let place = plan.place(of: number, attempt: 0, in: item, places: 1_000_000)
            return [item, place % 1000, place / 1000]
        }
        #expect(places == [[0, 792, 417], [3, 940, 377], [3, 545, 333], [4, 99, 810]])
        var fixed = CropRandom(seed: 7, stream: 3)
        #expect((0..<4).map { _ in fixed.next(below: 1000) } == [815, 109, 1, 43])
    }

    @Test(
        "shuffles all numbers below a bound, each once",
        arguments: [1, 2, 3, 16, 17, 1000, 4097])
    func shuffle(_ count: Int) {
        let shuffle = Shuffle(count: count, seed: 3, stream: 5)
        let numbers = (0..<count).map { shuffle[$0] }
        #expect(numbers.sorted() == Array(0..<count))
        #expect(shuffle[count] == shuffle[0])
        if count > 16 {
            let other = Shuffle(count: count, seed: 3, stream: 6)
            #expect(numbers != Array(0..<count) && numbers != (0..<count).map { other[$0] })
        }
    }

    @Test("has another recipe for other images, options, labels or numbers")
    func recipes() {
        var plans = [plan(10), plan(11), plan(10, seed: 8)]
        for change: (inout CropPlan) -> Void in [
            { $0.minimumDetail = 1 }, { $0.form.quality = 80 }, { $0.form.mode = .grey },
            { $0.staysInside = true },
            { $0.form.background = .transparent }, { $0.textLabel = "a" },
        ] {
            var changed = plan(10)
            change(&changed)
            plans.append(changed)
        }
        var labeled = plan(10).items
        labeled[2].rest = [JSONValue.Member(name: "label", value: .string("a"))]
        plans.append(CropPlan(labeled, size: PixelSize(width: 8, height: 8), count: 10, seed: 7))
        #expect(Set(plans.map(\.recipe)).count == 10)
        #expect(plan(10).recipe == plan(10).recipe)
    }

    @Test("measures detail as the deviation of gray values")
    func detail() throws {
        func picture(_ value: (Int) -> UInt8) -> Picture {
            Picture(
                size: PixelSize(width: 4, height: 4), bands: 3, depth: 8, hasAlpha: false, profile: nil,
                interpretation: "srgb", bytes: (0..<16).flatMap { [value($0), value($0), value($0)] })
        }
        #expect(CropDetail.of(picture { _ in 200 }) == 0)
        #expect(CropDetail.of(picture { $0 % 2 == 0 ? 0 : 255 }) == 127.5)
        #expect(CropDetail.of(picture { $0 % 2 == 0 ? 100 : 110 }) == 5)
    }
}
