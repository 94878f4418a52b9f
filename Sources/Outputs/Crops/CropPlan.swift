internal import Basics
package import Batches
internal import Digests
package import ViewportGeometry

/// Which parts of which images are cropped: random ones, those of a list, or all tiles of a grid.
///
/// A crop depends on the list of images, the seed and its number, not on other crops: shards are disjoint, and together they are
/// what one process would make.
package struct CropPlan: Sendable {
    /// The images, in the order of the list; with rectangles, one for each crop.
    package let items: [BatchItem]
    /// The rectangles of a list, one for each item; nil for other places.
    package let rects: [Rect<ImageSpace>]?
    /// The tiles of all images; nil for other places.
    package let grid: CropGrid?
    /// The items of each class where classes are balanced, else all as one.
    package let groups: CropGroups
    /// Whether classes are balanced.
    package let isBalanced: Bool
    /// The width and height of the crops in pixels.
    package let size: PixelSize<OutputGrid>
    /// The number of crops.
    package let count: Int
    package let seed: UInt64
    /// The least detail of a crop; see ``CropDetail``.
    package var minimumDetail = 0.0
    /// The form of all crops.
    package var form = CropForm()
    /// Whether rectangles that reach beyond their image are refused, not filled up.
    package var staysInside = false
    /// The classes, for a member "cls" of each crop.
    package var classes: CropClasses?
    /// What crops must not touch.
    package var exclusion: CropExclusion?
    /// The label whose text is a member "txt" of each crop.
    package var textLabel: String?
    /// The most places that are looked at for one crop.
    package static let attempts = 64

    /// - Parameters:
    ///   - items: the images; at least one.
    ///   - rects: a rectangle for each item, which is one crop then.
    ///   - count: the number of random crops.
    ///   - groups: the items of each class, for as many crops of each; they replace the count.
    package init(
        _ items: [BatchItem], rects: [Rect<ImageSpace>]? = nil, size: PixelSize<OutputGrid>, count: Int,
        seed: UInt64, groups: CropGroups? = nil
    ) {
        precondition(!items.isEmpty && rects.map { $0.count == items.count } ?? true)
        (self.items, self.rects, self.size, self.seed) = (items, rects, size, seed)
        self.count = groups?.total ?? (rects == nil ? count : items.count)
        self.groups = groups ?? CropGroups(all: items.count, count: self.count)
        (isBalanced, grid) = (groups != nil, nil)
    }

    /// All tiles of images.
    package init(_ items: [BatchItem], grid: CropGrid) {
        precondition(!items.isEmpty)
        (self.items, rects, size, seed) = (items, nil, grid.size, 0)
        (self.grid, count, isBalanced) = (grid, grid.count, false)
        groups = CropGroups(all: items.count, count: grid.count)
    }

    /// Whether places are given, not random.
    var isListed: Bool { rects != nil || grid != nil }

    /// The numbers of a shard: every n-th.
    package func numbers(of shard: Shard?) -> CropNumbers {
        CropNumbers(first: shard?.index ?? 0, step: shard?.count ?? 1, below: count)
    }

    /// The name of a crop: its number with leading zeros, and the beginning of the recipe, so that crops of other archives have other names.
    package func name(of number: Int, _ recipe: String) -> String {
        "\(Self.padded(number, below: count))-\(recipe.prefix(8))"
    }

    /// Returns a number with as many digits as the greatest one below a bound has.
    package static func padded(_ number: Int, below bound: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, String(max(bound - 1, 0)).count - text.count)) + text
    }

    /// What decides the crops, in a few digits: the images, their rectangles and labels, and all options.
    package var recipe: String {
        var hash = SHA256()
        hash.add("crops 2 \(size) \(count) \(seed) \(minimumDetail) \(form.text) \(staysInside)")
        hash.add("\(classes?.label ?? "-") \(textLabel ?? "-")")
        if isBalanced { hash.add("per class \(groups.count)") }
        if let grid { hash.add("grid \(grid.text)") }
        if let exclusion { hash.add("without \(exclusion.text)") }
        for item in items {
            hash.add(item.key)
            if !item.rest.isEmpty { hash.add("\(JSONValue.object(item.rest))") }
        }
        for rect in rects ?? [] { hash.add("\(rect.minX) \(rect.minY) \(rect.width) \(rect.height)") }
        return hash.finalize().hexadecimal(first: 8)
    }
}

extension SHA256 {
    fileprivate mutating func add(_ text: String) { update(Array("\(text)\n".utf8).span) }
}

/// The numbers of a shard's crops, which take no memory.
package struct CropNumbers: Sendable {
    private let first: Int
    private let step: Int
    /// How many there are.
    package let count: Int

    init(first: Int, step: Int, below bound: Int) {
        (self.first, self.step) = (first, step)
        count = max(0, (bound - first + step - 1) / step)
    }

    /// The numbers at some positions.
    package subscript(positions: Range<Int>) -> [Int] { positions.map { first + $0 * step } }

    /// The position behind that of a number.
    func position(after number: Int) -> Int { (number - first) / step + 1 }
}

/// A stream of random numbers for each crop.
package struct CropRandom: Sendable {
    private var random: SplitMix64

    package init(seed: UInt64, stream: UInt64) {
        var seeds = SplitMix64(seed: seed)
        seeds = SplitMix64(seed: seeds.next() &+ stream)
        random = SplitMix64(seed: seeds.next())
    }

    package mutating func next() -> UInt64 { random.next() }

    /// Returns a number below a bound, which is positive.
    package mutating func next(below bound: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }
}
