import ImageMetadata
import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog
@testable import LibraryMaintenance

@Suite("Shots")
struct ShotsTests {
    /// Returns a photo of a camera with another digest than those of other names.
    private func photo(
        _ name: String, _ date: String? = nil, offset: String? = nil, burst: String? = nil,
        model: String? = "X100S", width: Int = 4000
    ) throws -> Asset {
        var asset = try Asset.made(name, date, offset: offset)
        (asset.make, asset.model, asset.burst) = (model.map { _ in "FUJIFILM" }, model, burst)
        asset.size = PixelSize(width: width, height: 3000)
        asset.sha256 = name + (date ?? "") + "\(width)"
        return asset
    }

    @Test("are different for the frames of a burst and equal for copies")
    func pairs() throws {
        let first = try photo("IMG_0001.JPG", "2014-05-25T10:00:00.10")
        let cases: [(Asset, Bool, String)] = [
            (try photo("IMG_0002.JPG", "2014-05-25T10:00:00.25"), true, "another fraction"),
            (try photo("copy.JPG", "2014-05-25T10:00:00.10"), false, "the same instant"),
            (try photo("copy.JPG", "2014-05-25T10:00:00.100"), false, "a fraction with more digits"),
            (try photo("copy.JPG", "2014-05-25T10:00:00"), false, "a copy that lost the fraction"),
            (try photo("x.JPG", "2014-05-25T10:00:03"), true, "seconds later"),
            (try photo("x.JPG", "2014-05-25T10:00:59"), true, "within a minute"),
            (try photo("x.JPG", "2014-05-25T11:00:00.10"), false, "an hour later: the clock was corrected"),
            (try photo("x.JPG", "2014-05-25T10:00:03", model: "EOS"), false, "another camera"),
            (try photo("IMG_0002.JPG", "2014-05-25T10:00:00"), true, "another number in the same second"),
            (try photo("IMG_0002.JPG", "2014-05-25T10:00:00", width: 1000), true, "another number, smaller"),
            (
                try photo("IMG_0001_1000x3000.JPG", "2014-05-25T10:00:00", width: 1000), false,
                "a smaller copy"
            ),
            (try photo("IMG_0001 (2).JPG", "2014-05-25T10:00:00"), false, "a mark of a copy"),
            (try photo("IMG_0001-edited.JPG", "2014-05-25T10:00:00"), false, "a mark of an edited copy"),
            (try photo("IMG_0002.JPG"), false, "undated"),
        ]
        for (other, isDifferent, what) in cases {
            #expect(Shots.areDifferent(first, other) == isDifferent, "\(what)")
            #expect(Shots.areDifferent(other, first) == isDifferent, "\(what), the other way round")
        }
    }

    @Test("are compared across zones, by local time where one zone is unknown")
    func zones() throws {
        let first = try photo("a.jpg", "2014-05-25T10:00:00", offset: "+02:00")
        #expect(!Shots.areDifferent(first, try photo("b.jpg", "2014-05-25T08:00:00", offset: "Z")))
        #expect(Shots.areDifferent(first, try photo("b.jpg", "2014-05-25T08:00:01", offset: "Z")))
        #expect(!Shots.areDifferent(first, try photo("b.jpg", "2014-05-25T10:00:00")))
        #expect(Shots.areDifferent(first, try photo("b.jpg", "2014-05-25T10:00:02")))
    }

    @Test("of one burst are different without dates, too; raw files are no copies of pictures")
    func identifiers() throws {
        let first = try photo("IMG_0001.JPG", burst: "b")
        #expect(Shots.areDifferent(first, try photo("IMG_0002.JPG", burst: "b")))
        #expect(!Shots.areDifferent(first, try photo("IMG_0001 (1).JPG", burst: "b")))
        #expect(!Shots.areDifferent(first, try photo("IMG_0002.JPG", burst: "c", model: nil)))
        var raw = try photo("IMG_0001.NEF", "2014-05-25T10:00:00.10")
        raw.format = .nef
        #expect(Shots.areDifferent(raw, try photo("IMG_0001.JPG", "2014-05-25T10:00:00.10")))
        var same = raw
        same.path = "other.jpg"
        same.format = .jpeg
        #expect(!Shots.areDifferent(raw, same), "equal bytes")
    }

    @Test("are never in one group: generated bursts of many cameras, with copies of their frames")
    func bursts() throws {
        var random = SplitMix64(seed: 5)
        var members: [(asset: Asset, hash: DifferenceHash)] = []
        /// The frame that a path is a picture of.
        var frames: [String: Int] = [:]
        for burst in 0..<60 {
            let hash = random.next()
            let hasFractions = burst % 3 != 0
            let identifier = burst % 2 == 0 ? "burst \(burst)" : nil
            for frame in 0..<Int.random(in: 2...12, using: &random) {
                let second = hasFractions ? frame / 4 : frame / 20
                let fraction = hasFractions ? ".\(frame % 4)5" : ""
                let date = "2014-05-25T10:\(burst < 10 ? "0" : "")\(burst):0\(second)\(fraction)"
                let name = "DSC_\(burst)_\(1000 + frame).JPG"
                let asset = try photo(name, date, burst: identifier, model: "M\(burst)")
                let copies = frame % 3 == 0 ? 1 : 0
                for copy in 0...copies {
                    var asset = asset
                    if copy > 0 {
                        asset.path = "small/\(name)"
                        asset.sha256 += " small"
                        asset.size = PixelSize(width: 1000, height: 750)
                    }
                    frames[asset.path] = burst * 100 + frame
                    let flips = random.next() & random.next() & random.next() & random.next() & random.next()
                    members.append((asset, DifferenceHash(bits: hash ^ (copy == 0 ? flips & 0b101 : 0))))
                }
            }
        }
        members.shuffle(using: &random)
        var shots = Shots()
        let groups = shots.divided(members, within: 6)
        let isFalse = groups.contains { group in Set(group.map { frames[$0.path] ?? -1 }).count > 1 }
        #expect(!isFalse, "two frames are in one group")
        // Every copy is found.
        #expect(groups.count == frames.keys.count { $0.hasPrefix("small/") })
    }
}
