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

    @Test("names crops so that their order is that of their numbers")
    func names() {
        let plan = plan(1001)
        #expect(plan.name(of: 0) == "0000" && plan.name(of: 1000) == "1000")
        #expect(self.plan(1).name(of: 0) == "0")
        let names = (0..<1001).map { plan.name(of: $0) }
        #expect(names == names.sorted())
    }

    @Test("has even random numbers, others for each crop and each seed, the same in every run")
    func random() {
        let plan = plan(4000)
        var counts = [Int](repeating: 0, count: 5)
        var firsts: Set<UInt64> = []
        for number in 0..<4000 {
            var random = plan.random(of: number)
            counts[random.next(below: 5)] += 1
            firsts.insert(random.next())
        }
        #expect(counts.allSatisfy { (680...920).contains($0) }, "\(counts)")
        #expect(firsts.count == 4000)
        var (one, other) = (plan.random(of: 3), self.plan(4000, seed: 8).random(of: 3))
        #expect(one.next() != other.next())
        // Fixed: archives of another version have to have the same crops.
        var fixed = CropRandom(seed: 7, stream: 3)
        #expect((0..<4).map { _ in fixed.next(below: 1000) } == [815, 109, 1, 43])
    }

    @Test("has another recipe for other images, options or numbers")
    func recipes() {
        var recipes: Set<String> = [plan(10).recipe("jpg -")]
        recipes.insert(plan(11).recipe("jpg -"))
        recipes.insert(plan(10, seed: 8).recipe("jpg -"))
        recipes.insert(plan(10).recipe("jpg 80"))
        var detailed = plan(10)
        detailed.minimumDetail = 1
        recipes.insert(detailed.recipe("jpg -"))
        #expect(recipes.count == 5)
        #expect(plan(10).recipe("jpg -") == plan(10).recipe("jpg -"))
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
