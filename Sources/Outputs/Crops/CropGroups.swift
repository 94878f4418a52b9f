package import Batches
internal import ViewportGeometry

/// The items of each class, of which a balanced archive has as many crops each.
package struct CropGroups: Equatable, Sendable {
    /// The numbers of the items, by class.
    let members: [[Int]]
    /// The crops of each class.
    package let count: Int

    /// - Parameter count: the crops of each class.
    package init(of classes: CropClasses, _ items: [BatchItem], count: Int) {
        var members: [Int: [Int]] = [:]
        for index in items.indices { members[classes.number(items[index]) ?? 0, default: []].append(index) }
        self.members = members.sorted { $0.key < $1.key }.map(\.value)
        self.count = count
    }

    /// All items as one class.
    init(all items: Int, count: Int) {
        members = [Array(0..<items)]
        self.count = count
    }

    /// The crops of all classes.
    package var total: Int { members.count * count }

    /// The crops of lists that repeat others: those of classes with fewer lines than crops.
    package var repeated: Int { members.reduce(0) { $0 + max(0, count - $1.count) } }

    /// The class of a crop, and which of its crops it is.
    ///
    /// Each round of crops has one of each class, in an order of its own: archives of every n-th crop have all classes then.
    func turn(of number: Int, seed: UInt64) -> (group: Int, turn: Int) {
        guard members.count > 1 else { return (0, number) }
        let round = number / members.count
        let shuffle = Shuffle(count: members.count, seed: seed ^ 0xC1A5_5E5, stream: UInt64(round))
        return (shuffle[number % members.count], round)
    }
}

extension CropPlan {
    /// The image of a crop: every image of a class is used once before one is used again, and further attempts are at random ones.
    func item(of number: Int, attempt: Int) -> Int {
        let (group, turn) = groups.turn(of: number, seed: seed)
        let members = groups.members[group]
        guard attempt > 0 else {
            let shuffle = Shuffle(
                count: members.count, seed: Self.seed(seed, of: group), stream: UInt64(turn / members.count))
            return members[shuffle[turn % members.count]]
        }
        var random = CropRandom(seed: seed &+ UInt64(attempt), stream: UInt64(number))
        return members[random.next(below: members.count)]
    }

    /// A seed for each class; that of the first is the plan's.
    private static func seed(_ seed: UInt64, of group: Int) -> UInt64 {
        seed ^ (UInt64(group) &* 0x9E37_79B9_7F4A_7C15)
    }

    /// The number of a crop's place among those of an image, which no other crop has as long as there are others.
    ///
    /// - Parameter places: how many the image has.
    func place(of number: Int, attempt: Int, in item: Int, places: Int) -> Int {
        let (group, turn) = groups.turn(of: number, seed: seed)
        let members = groups.members[group].count
        let rounds = (groups.count + members - 1) / members
        // The streams of rounds come first.
        let index = attempt == 0 ? turn / members : rounds + (attempt - 1) * count + number
        return Shuffle(count: places, seed: ~seed, stream: UInt64(item))[index]
    }
}
