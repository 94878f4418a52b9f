internal import Archives
internal import Basics
package import Batches
internal import Files
package import ImageReading
internal import Pictures
internal import Synchronization
internal import ViewportGeometry
internal import ViewportRendering
internal import Viewports

/// Makes the crops of a shard in order, on several threads.
package final class CropRun: Sendable {
    /// What was made.
    package struct Report: Equatable, Sendable {
        /// The crops in the archive, those of earlier runs included.
        package var crops = 0
        /// Crops for which no place was found, or whose image cannot be read.
        package var missing = 0
        /// Images that cannot be read, or have no room for a crop.
        package var unusable = 0
        /// Crops of rectangles that reach beyond their image, and are filled up.
        package var outside = 0
        /// Crops of rectangles with fewer pixels than the crop, in one direction at least.
        package var magnified = 0
        /// Crops of rectangles with another aspect ratio.
        package var stretched = 0
        /// Crops that are left out because they touch what is excluded.
        package var excluded = 0

        mutating func count(_ place: CropPlace) {
            if place.outside > 0 { outside += 1 }
            if place.isMagnified { magnified += 1 }
            if place.isStretched { stretched += 1 }
        }
    }

    private let plan: CropPlan
    /// What decides the crops, in a few digits.
    package let recipe: String
    private let labels: LabelForm
    private let hasIDs: Bool
    private let hasFractions: Bool
    private let threads: Int
    private let renderer: ViewportRenderer
    private let open: @Sendable (BatchItem) throws -> ImageFile
    private let note: @Sendable (String) -> Void
    private let pool = OpenImagePool<ImageFile>()
    /// The items that cannot be used, which are noted once.
    private let unusable = Mutex(Set<Int>())
    private let hasNotedOpacity = Mutex(false)
    /// What is excluded of items, and the places that are left.
    private let exclusions = Mutex(LRUCache<Int, ExcludedPart>(capacity: 1 << 20))

    private struct ExcludedPart: Sendable {
        let area: ExcludedArea
        let places: FreePlaces
    }

    /// - Parameters:
    ///   - threads: the crops that are made at a time.
    ///   - open: opens an image.
    ///   - note: receives a sentence for each image that cannot be used, on any thread.
    package init(
        _ plan: CropPlan, threads: Int,
        open: @escaping @Sendable (BatchItem) throws -> ImageFile,
        note: @escaping @Sendable (String) -> Void
    ) {
        (self.plan, self.threads, self.open, self.note) = (plan, threads, open, note)
        recipe = plan.recipe
        labels = LabelForm(plan.items)
        hasIDs = plan.items.contains { $0.id != nil }
        hasFractions = plan.hasFractions
        renderer = ViewportRenderer(options: plan.form.rendering)
    }

    /// Writes the crops of a shard.
    ///
    /// - Parameters:
    ///   - archive: receives them; has the crops of an earlier run.
    ///   - isStopped: ends the run after the crops in progress.
    ///   - progress: receives the crops that are done, of all of the shard.
    /// - Throws: `CropError`.
    package func run(
        _ shard: Shard?, to archive: CropArchive, isStopped: @escaping @Sendable () -> Bool,
        progress: (Int, Int) -> Void
    ) throws -> Report {
        let numbers = plan.numbers(of: shard)
        var report = Report()
        let known = try archive.continued { name, content in
            guard let (number, place) = try self.known(name, content) else { return nil }
            report.count(place)
            return number
        }
        report.crops = known.count
        var count = known.last.map { numbers.position(after: $0) } ?? 0
        progress(count, numbers.count)
        while count < numbers.count, !isStopped() {
            let part = numbers[count..<min(count + Self.part, numbers.count)]
            try OrderedWork.run(part.count, threads: threads) { index in
                isStopped() ? nil : try self.members(of: part[index])
            } use: { (made: Made?) in
                count += 1
                switch made {
                case .members(let bytes, let place):
                    try archive.append(bytes)
                    report.crops += 1
                    report.count(place)
                case .missing: report.missing += 1
                case .excluded: report.excluded += 1
                case nil: break
                }
                progress(count, numbers.count)
            }
        }
        report.unusable = unusable.withLock { $0.count }
        return report
    }

    /// The crops between two looks at whether the run is stopped.
    private static let part = 64

    /// What has become of a crop.
    private enum Made: Sendable {
        case members([UInt8], CropPlace)
        case missing
        /// It touches what is excluded.
        case excluded
    }

    /// Returns the members of a crop in the archive.
    private func members(of number: Int) throws -> Made {
        let crop: Crop
        switch self.crop(number) {
        case .crop(let found): crop = found
        case .missing: return .missing
        case .excluded: return .excluded
        }
        let name = plan.name(of: number, recipe)
        var bytes = TarMember.bytes(
            "\(name).\(plan.form.format.rawValue)", try plan.form.encode(crop.picture))
        if let number = plan.classes?.number(crop.item) {
            bytes += TarMember.bytes("\(name).cls", Array("\(number)".utf8))
        }
        if let label = plan.textLabel {
            bytes += TarMember.bytes("\(name).txt", Array(crop.item.text(label).utf8))
        }
        let text = "\(description(of: number, crop))\n"
        // The description is the last member: a crop that has it is complete.
        return .members(bytes + TarMember.bytes("\(name).json", Array(text.utf8)), crop.place)
    }

    private func description(of number: Int, _ crop: Crop) -> JSONValue {
        let item = crop.item
        let isListed = plan.isListed
        let members: KeyValuePairs<String, JSONValue?> = [
            "path": .string(item.path), "id": hasIDs ? item.id ?? .null : nil,
            "rect": hasFractions
                ? .fractions(crop.place.numbers) : .array(crop.place.numbers.map { .int(Int($0)) }),
            "size": .array([.int(plan.size.width), .int(plan.size.height)]),
            "number": .int(number), "seed": isListed ? nil : .int(Int(bitPattern: UInt(plan.seed))),
            "recipe": .string(recipe),
            "image": plan.grid == nil ? nil : .array(crop.image.map(JSONValue.int)),
            "overlap": plan.grid.map { JSONValue.int($0.overlap) },
            "outside": isListed ? .fractions([crop.place.outside]).array?.first : nil,
            "scale": isListed ? .fractions(crop.place.scale) : nil,
            "labels": labels.isEmpty ? nil : labels.formed(.object(item.rest)),
        ]
        return .object(members)
    }

    /// Reads a member of an archive that is the description of a crop of this plan.
    ///
    /// - Returns: the number and the place of the crop; nil for other members.
    /// - Throws: `CropError.otherRecipe` for a crop of another plan.
    private func known(
        _ name: String, _ content: () throws -> [UInt8]
    ) throws -> (number: Int, place: CropPlace)? {
        let stem = name.prefix { $0 != "." }
        let digits = stem.prefix { ("0"..."9").contains($0) }
        guard let number = Int(digits), stem == plan.name(of: number, recipe) else {
            throw CropError.otherRecipe
        }
        guard name.hasSuffix(".json") else { return nil }
        let value = try? JSONValue(parsing: try content())
        guard value?["recipe"]?.string == recipe, value?["number"]?.int == number else {
            throw CropError.otherRecipe
        }
        let scale = value?["scale"]?.array?.compactMap(\.double) ?? []
        return (number, CropPlace(scale: scale, outside: value?["outside"]?.double ?? 0))
    }

    // MARK: Places

    private struct Crop {
        let item: BatchItem
        let place: CropPlace
        /// Width and height of the upright image.
        let image: [Int]
        let picture: CropPicture
    }

    private enum Found {
        case crop(Crop)
        case missing
        case excluded

        init(_ crop: Crop?) { self = crop.map(Found.crop) ?? .missing }
    }

    private func crop(_ number: Int) -> Found {
        if let grid = plan.grid { return tile(grid[number], of: grid, number) }
        return plan.rects.map { listed(number, $0) } ?? random(number)
    }

    /// A tile of a grid; what is excluded as a whole is left out.
    private func tile(_ tile: CropGrid.Tile, of grid: CropGrid, _ number: Int) -> Found {
        let index = grid.pictures[tile.picture].item
        guard let file = image(index) else { return .missing }
        let rect = Rect<ImageSpace>(
            x: Double(tile.x), y: Double(tile.y), width: Double(grid.size.width),
            height: Double(grid.size.height))
        guard file.uprightSize == grid.pictures[tile.picture].size else {
            refuse(index, "\(FilePath(file.path)): has another size than when the grid was made")
            return .missing
        }
        if plan.exclusion != nil {
            guard let part = excluded(of: file, index) else { return .missing }
            if part.area.covers(rect) { return .excluded }
        }
        return Found(picture(CropPlace(rect, of: file.uprightSize, as: plan.size), of: file, index))
    }

    /// A crop of a list; balanced classes with fewer lines than crops repeat them.
    private func listed(_ number: Int, _ rects: [Rect<ImageSpace>]) -> Found {
        for attempt in 0..<(plan.isBalanced ? CropPlan.attempts : 1) {
            let index = plan.isBalanced ? plan.item(of: number, attempt: attempt) : number
            guard let file = image(index) else { continue }
            let place = CropPlace(rects[index], of: file.uprightSize, as: plan.size)
            let line = "line \(plan.items[index].line): \(FilePath(file.path))"
            guard place.outside == 0 || !plan.staysInside else {
                refuse(index, "\(line): \(place.outsideWords) of the rectangle is outside of the image")
                continue
            }
            if plan.exclusion != nil {
                guard let part = excluded(of: file, index) else { continue }
                guard !part.area.touches(rects[index]) else {
                    if plan.isBalanced { continue }
                    return .excluded
                }
            }
            if let crop = picture(place, of: file, index) { return .crop(crop) }
        }
        return .missing
    }

    private func random(_ number: Int) -> Found {
        let size = plan.size
        for attempt in 0..<CropPlan.attempts {
            let index = plan.item(of: number, attempt: attempt)
            guard let file = image(index) else { continue }
            let (width, height) = (file.uprightSize.width, file.uprightSize.height)
            guard width >= size.width, height >= size.height else {
                refuse(index, "\(FilePath(file.path)): has \(width)x\(height) pixels, less than a crop")
                continue
            }
            let (x, y): (Int, Int)
            if plan.exclusion != nil {
                guard let part = excluded(of: file, index) else { continue }
                guard part.places.count > 0 else {
                    refuse(index, "\(FilePath(file.path)): has no room for a crop beside what is excluded")
                    continue
                }
                (x, y) =
                    part.places[
                        plan.place(of: number, attempt: attempt, in: index, places: part.places.count)]
            } else {
                let columns = width - size.width + 1
                let place = plan.place(
                    of: number, attempt: attempt, in: index, places: columns * (height - size.height + 1))
                (x, y) = (place % columns, place / columns)
            }
            let rect = Rect<ImageSpace>(
                x: Double(x), y: Double(y), width: Double(size.width), height: Double(size.height))
            if let crop = picture(CropPlace(rect, of: file.uprightSize, as: size), of: file, index) {
                return .crop(crop)
            }
        }
        return .missing
    }

    /// Renders a crop; nil where it has too little detail, or cannot be read.
    private func picture(_ place: CropPlace, of file: ImageFile, _ index: Int) -> Crop? {
        do {
            let picture: CropPicture
            if plan.form.format.hasValues {
                picture = .values(try CropValues(place, of: file, plan.size))
            } else {
                let viewport = Viewport(imageRect: place.rect, size: plan.size)
                let rendered = try renderer.renderSynchronously(viewport, of: file).picture
                guard plan.minimumDetail <= 0 || CropDetail.of(rendered) >= plan.minimumDetail else {
                    return nil
                }
                noteOpacity(of: file)
                picture = .colors(rendered)
            }
            let image = [file.uprightSize.width, file.uprightSize.height]
            return Crop(item: plan.items[index], place: place, image: image, picture: picture)
        } catch {
            // Damage of one tile is not that of the others.
            if plan.grid != nil { note("\(error)") } else { refuse(index, "\(error)") }
            return nil
        }
    }

    /// Returns what is excluded of an image; nil if its mask cannot be used.
    private func excluded(of file: ImageFile, _ index: Int) -> ExcludedPart? {
        if let known = exclusions.withLock({ $0.value(index) }) { return known }
        guard let exclusion = plan.exclusion else { return nil }
        do {
            let area = try exclusion.area(of: plan.items[index], file.uprightSize, open: open)
            let part = ExcludedPart(area: area, places: FreePlaces(area, crop: plan.size))
            exclusions.withLock { $0.insert(part, for: index, cost: area.cost) }
            return part
        } catch {
            refuse(index, "\(error)")
            return nil
        }
    }

    /// Says once that opacity is not kept.
    private func noteOpacity(of file: ImageFile) {
        guard file.hasAlpha, !plan.form.keepsOpacity else { return }
        let isFirst = hasNotedOpacity.withLock { hasNoted in
            defer { hasNoted = true }
            return !hasNoted
        }
        guard isFirst else { return }
        note(
            "\(FilePath(file.path)): has transparent pixels, which become \(plan.form.background) in the crops; --mode rgba keeps them"
        )
    }

    /// Returns an open image; nil if it cannot be used.
    private func image(_ index: Int) -> ImageFile? {
        guard !unusable.withLock({ $0.contains(index) }) else { return nil }
        let item = plan.items[index]
        do {
            return try pool.image(OpenImageKey(path: FilePath(item.file))) {
                try open(item)
            }
        } catch {
            refuse(index, "\(error)")
            return nil
        }
    }

    private func refuse(_ index: Int, _ sentence: String) {
        if unusable.withLock({ $0.insert(index).inserted }) { note(sentence) }
    }
}
