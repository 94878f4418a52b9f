internal import Archives
internal import Basics
package import Batches
internal import Files
package import ImageReading
package import PictureEncoding
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
    }

    private let plan: CropPlan
    private let encoder: PictureEncoder
    private let recipe: String
    private let threads: Int
    private let renderer: ViewportRenderer
    private let open: @Sendable (BatchItem) throws -> ImageFile
    private let note: @Sendable (String) -> Void
    private let pool = OpenImagePool<ImageFile>()
    /// The items that cannot be used, which are noted once.
    private let unusable = Mutex(Set<Int>())

    /// - Parameters:
    ///   - threads: the crops that are made at a time.
    ///   - open: opens an image.
    ///   - note: receives a sentence for each image that cannot be used, on any thread.
    package init(
        _ plan: CropPlan, _ encoder: PictureEncoder, threads: Int,
        open: @escaping @Sendable (BatchItem) throws -> ImageFile,
        note: @escaping @Sendable (String) -> Void
    ) {
        (self.plan, self.encoder, self.threads, self.open, self.note) = (plan, encoder, threads, open, note)
        recipe = plan.recipe("\(encoder.format.rawValue) \(encoder.quality.map { "\($0)" } ?? "-")")
        var options = RenderOptions()
        if !encoder.format.hasAlpha { options.background = .white }
        renderer = ViewportRenderer(options: options)
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
        let known = try archive.continued { try self.isKnown($0, $1) }
        var report = Report(crops: known.count)
        var count = known.last.map { numbers.position(after: $0) } ?? 0
        progress(count, numbers.count)
        while count < numbers.count, !isStopped() {
            let part = numbers[count..<min(count + Self.part, numbers.count)]
            try OrderedWork.run(part.count, threads: threads) { index in
                isStopped() ? nil : try self.members(of: part[index])
            } use: { (members: [UInt8]?) in
                count += 1
                if let members, !members.isEmpty {
                    try archive.append(members)
                    report.crops += 1
                } else if members != nil {
                    report.missing += 1
                }
                progress(count, numbers.count)
            }
        }
        report.unusable = unusable.withLock { $0.count }
        return report
    }

    /// The crops between two looks at whether the run is stopped.
    private static let part = 64

    /// Returns the members of a crop in the archive; none if no place was found.
    private func members(of number: Int) throws -> [UInt8] {
        guard let crop = try crop(number) else { return [] }
        let name = plan.name(of: number)
        let bytes = try encoder.encodeSynchronously(crop.picture)
        let text = "\(description(of: number, crop.item, crop.rect))\n"
        return TarMember.bytes("\(name).\(encoder.format.rawValue)", bytes)
            + TarMember.bytes("\(name).json", Array(text.utf8))
    }

    private func description(of number: Int, _ item: BatchItem, _ rect: Rect<ImageSpace>) -> JSONValue {
        let members: KeyValuePairs<String, JSONValue?> = [
            "path": .string(item.path), "id": item.id,
            "rect": .numbers(rect.minX, rect.minY, rect.width, rect.height),
            "size": .array([.int(plan.size.width), .int(plan.size.height)]),
            "number": .int(number), "seed": plan.rects == nil ? .int(Int(bitPattern: UInt(plan.seed))) : nil,
            "recipe": .string(recipe),
            "labels": item.rest.isEmpty ? nil : .object(item.rest),
        ]
        return .object(members)
    }

    /// Whether a member of an archive is the description of a crop of this plan.
    ///
    /// - Returns: the number of the crop; nil for a picture.
    /// - Throws: `CropError.otherRecipe` for a crop of another plan.
    private func isKnown(_ name: String, _ content: () throws -> [UInt8]) throws -> Int? {
        let stem = name.prefix { $0 != "." }
        guard stem.count == plan.name(of: 0).count, stem.allSatisfy({ ("0"..."9").contains($0) }) else {
            throw CropError.otherRecipe
        }
        guard name.hasSuffix(".json") else { return nil }
        let value = try? JSONValue(parsing: try content())
        guard value?["recipe"]?.string == recipe, let number = value?["number"]?.int else {
            throw CropError.otherRecipe
        }
        return number
    }

    // MARK: Places

    private struct Crop {
        let item: BatchItem
        let rect: Rect<ImageSpace>
        let picture: Picture
    }

    private func crop(_ number: Int) throws -> Crop? {
        if let rects = plan.rects {
            guard let file = image(number) else { return nil }
            return picture(rects[number], of: file, number)
        }
        var random = plan.random(of: number)
        let size = plan.size
        for _ in 0..<CropPlan.attempts {
            let index = random.next(below: plan.items.count)
            guard let file = image(index) else { continue }
            let (width, height) = (file.uprightSize.width, file.uprightSize.height)
            guard width >= size.width, height >= size.height else {
                refuse(index, "\(FilePath(file.path)): has \(width)x\(height) pixels, less than a crop")
                continue
            }
            let x = random.next(below: width - size.width + 1)
            let y = random.next(below: height - size.height + 1)
            let rect = Rect<ImageSpace>(
                x: Double(x), y: Double(y), width: Double(size.width), height: Double(size.height))
            if let crop = picture(rect, of: file, index) { return crop }
        }
        return nil
    }

    /// Renders a crop; nil where it has too little detail, or cannot be read.
    private func picture(_ rect: Rect<ImageSpace>, of file: ImageFile, _ index: Int) -> Crop? {
        do {
            let viewport = Viewport(imageRect: rect, size: plan.size)
            let picture = try renderer.renderSynchronously(viewport, of: file).picture
            guard plan.minimumDetail <= 0 || CropDetail.of(picture) >= plan.minimumDetail else { return nil }
            return Crop(item: plan.items[index], rect: rect, picture: picture)
        } catch {
            refuse(index, "\(error)")
            return nil
        }
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
