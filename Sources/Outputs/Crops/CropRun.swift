internal import Archives
internal import Basics
package import Batches
internal import Files
package import ImageReading
package import Pictures
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
                isStopped() ? nil : .some(try self.members(of: part[index]))
            } use: { (members: (bytes: [UInt8], place: CropPlace)??) in
                count += 1
                if let members {
                    if let members {
                        try archive.append(members.bytes)
                        report.crops += 1
                        report.count(members.place)
                    } else {
                        report.missing += 1
                    }
                }
                progress(count, numbers.count)
            }
        }
        report.unusable = unusable.withLock { $0.count }
        return report
    }

    /// The crops between two looks at whether the run is stopped.
    private static let part = 64

    /// Returns the members of a crop in the archive; nil if no place was found.
    private func members(of number: Int) throws -> (bytes: [UInt8], place: CropPlace)? {
        guard let crop = try crop(number) else { return nil }
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
        return (bytes + TarMember.bytes("\(name).json", Array(text.utf8)), crop.place)
    }

    private func description(of number: Int, _ crop: Crop) -> JSONValue {
        let item = crop.item
        let isListed = plan.rects != nil
        let members: KeyValuePairs<String, JSONValue?> = [
            "path": .string(item.path), "id": hasIDs ? item.id ?? .null : nil,
            "rect": hasFractions
                ? .fractions(crop.place.numbers) : .array(crop.place.numbers.map { .int(Int($0)) }),
            "size": .array([.int(plan.size.width), .int(plan.size.height)]),
            "number": .int(number), "seed": isListed ? nil : .int(Int(bitPattern: UInt(plan.seed))),
            "recipe": .string(recipe),
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
        let picture: Picture
    }

    private func crop(_ number: Int) throws -> Crop? {
        if let rects = plan.rects {
            guard let file = image(number) else { return nil }
            let place = CropPlace(rects[number], of: file.uprightSize, as: plan.size)
            guard place.outside == 0 || !plan.staysInside else {
                let line = plan.items[number].line
                refuse(
                    number,
                    "line \(line): \(FilePath(file.path)): \(place.outsideWords) of the rectangle is outside of the image"
                )
                return nil
            }
            return picture(place, of: file, number)
        }
        let size = plan.size
        for attempt in 0..<CropPlan.attempts {
            let index = plan.item(of: number, attempt: attempt)
            guard let file = image(index) else { continue }
            let (width, height) = (file.uprightSize.width, file.uprightSize.height)
            guard width >= size.width, height >= size.height else {
                refuse(index, "\(FilePath(file.path)): has \(width)x\(height) pixels, less than a crop")
                continue
            }
            let (x, y) = plan.place(
                of: number, attempt: attempt, in: index, width: width - size.width + 1,
                height: height - size.height + 1)
            let rect = Rect<ImageSpace>(
                x: Double(x), y: Double(y), width: Double(size.width), height: Double(size.height))
            let place = CropPlace(rect, of: file.uprightSize, as: size)
            if let crop = picture(place, of: file, index) { return crop }
        }
        return nil
    }

    /// Renders a crop; nil where it has too little detail, or cannot be read.
    private func picture(_ place: CropPlace, of file: ImageFile, _ index: Int) -> Crop? {
        do {
            let viewport = Viewport(imageRect: place.rect, size: plan.size)
            let picture = try renderer.renderSynchronously(viewport, of: file).picture
            guard plan.minimumDetail <= 0 || CropDetail.of(picture) >= plan.minimumDetail else { return nil }
            noteOpacity(of: file)
            return Crop(item: plan.items[index], place: place, picture: picture)
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

/// How much there is to see in a picture: the standard deviation of its gray values, from 0 to 127.5.
///
/// Paper and glass have less than 4, text and tissue more than 15.
package enum CropDetail {
    /// - Parameter picture: a picture of 8 bits per sample; the gray value of a pixel is the mean of its samples without alpha.
    package static func of(_ picture: Picture) -> Double {
        let bands = picture.bands
        let colors = bands - (picture.hasAlpha ? 1 : 0)
        guard colors > 0, picture.depth == 8 else { return 0 }
        var (sum, squares, count) = (0.0, 0.0, 0)
        let bytes = picture.bytes.span
        for start in stride(from: 0, to: bytes.count, by: bands) {
            var value = 0
            for band in 0..<colors { value += Int(bytes[start + band]) }
            let gray = Double(value) / Double(colors)
            (sum, squares, count) = (sum + gray, squares + gray * gray, count + 1)
        }
        guard count > 0 else { return 0 }
        let mean = sum / Double(count)
        return max(squares / Double(count) - mean * mean, 0).squareRoot()
    }
}
