#if CommandLine
import ArgumentParser
import Basics
import Batches
import Crops
import Files
import Platform
import ViewportGeometry
import ViewportRendering

extension CropsCommand {
    /// The images, and their rectangles where lines have them.
    func plan(
        _ open: @escaping @Sendable (BatchItem) throws -> ImageFile
    ) throws -> (CropPlan, faults: [String]) {
        let root = list.pathRoot(hasItemsOfLines: list.manifest != nil)
        var images =
            try list.manifest.map { try BatchList(manifest: $0, root: root) }
            ?? BatchList(paths, isRecursive: recursive, takesVideos: false, root: root)
        var (items, faults) = try images.items()
        // Paths on a command line are relative to the current folder, those of results to --root.
        if list.manifest == nil {
            for index in items.indices { items[index].path = items[index].relativePath }
        }
        let rects = try CropRects(&items)
        guard !items.isEmpty else { throw ValidationError("no image is given: the list is empty") }
        let classes: CropClasses?
        do throws(InvalidText) {
            classes = try classLabel.map { label throws(InvalidText) in try CropClasses(of: label, items) }
        } catch {
            throw ValidationError("\(error)")
        }
        let threads = list.jobs ?? Processors.count
        var plan: CropPlan
        if grid {
            if rects != nil { throw ValidationError("--grid cuts all tiles of an image: leave out \"rect\"") }
            let made = try CropGrid.of(
                items, size: try cropSize, overlap: overlap, threads: threads, open: open)
            guard made.grid.count > 0 else {
                throw ValidationError(made.faults.first ?? "no image has tiles")
            }
            faults += made.faults
            plan = CropPlan(items, grid: made.grid)
        } else {
            guard rects != nil || count != nil || perClass != nil else {
                throw ValidationError(
                    "give the number of random crops with --count, lines with \"rect\", or --grid")
            }
            if rects != nil, count != nil {
                throw ValidationError("lines with \"rect\" are one crop each: leave out --count")
            }
            let groups = classes.flatMap { classes in
                perClass.map { CropGroups(of: classes, items, count: $0) }
            }
            if let repeated = groups?.repeated, repeated > 0, rects != nil {
                StandardError.note("\(repeated) crops repeat others: their classes have fewer lines")
            }
            plan = CropPlan(
                items, rects: rects?.all, size: try cropSize, count: count ?? items.count,
                seed: UInt64(seed), groups: groups)
        }
        plan.minimumDetail = minDetail
        plan.form = CropForm(cropFormat, mode: mode, quality: quality, background: background)
        (plan.staysInside, plan.textLabel, plan.classes) = (inside, text, classes)
        if let text, !items.contains(where: { $0.rest.contains { $0.name == text } }) {
            throw ValidationError("--text \(text): no line has this member")
        }
        plan.exclusion = try exclude.map { try exclusion($0, items) }
        if cropFormat.hasValues, let other = try ValueForm.disagreement(items, threads: threads, open: open) {
            throw ValidationError("--crop-format \(cropFormat.rawValue): \(other)")
        }
        return (plan, faults)
    }

    /// Reads `--exclude`: rectangles of a manifest, or the path of masks.
    private func exclusion(_ path: String, _ items: [BatchItem]) throws -> CropExclusion {
        guard ["jsonl", "ndjson", "json"].contains(FilePath(path).fileExtension?.text.lowercased()) else {
            do throws(InvalidText) {
                return .masks(try OutputTemplate(path))
            } catch {
                throw ValidationError("--exclude \(path): \(error)")
            }
        }
        let root = BatchRoot(list.root, isForManifest: true, hasItemsOfLines: true)
        var lines = try BatchList(manifest: path, root: root)
        var (listed, faults) = try lines.items()
        if let fault = faults.first { throw ValidationError("--exclude \(path): \(fault)") }
        guard let rects = try CropRects(&listed) else {
            throw ValidationError("--exclude \(path): no line has a \"rect\"")
        }
        var all: [FilePath: [Rect<ImageSpace>]] = [:]
        for (item, rect) in zip(listed, rects.all) {
            all[FilePath(item.relativePath), default: []].append(rect)
        }
        // A misspelled path would exclude nothing without a word.
        let known = Set(items.map { FilePath($0.relativePath) })
        let others = all.keys.filter { !known.contains($0) }
        guard others.count < all.count else {
            throw ValidationError("--exclude \(path): names none of the images")
        }
        if let other = others.min(by: { $0.text < $1.text }) {
            StandardError.note(
                "--exclude \(path): \(others.count) of its images are not in this run, such as \(other)")
        }
        return .rects(all)
    }
}

/// The rectangles of a manifest's lines.
private struct CropRects {
    let all: [Rect<ImageSpace>]

    /// Takes the rectangles out of the members of items; nil where no line has one.
    init?(_ items: inout [BatchItem]) throws {
        guard items.contains(where: { $0.rest.contains { $0.name == "rect" } }) else { return nil }
        var all: [Rect<ImageSpace>] = []
        for index in items.indices {
            let numbers =
                items[index].rest.first { $0.name == "rect" }?.value.array?.compactMap(\.double) ?? []
            guard numbers.count == 4, numbers.allSatisfy(\.isFinite), numbers[2] > 0, numbers[3] > 0 else {
                throw ValidationError(
                    "line \(items[index].line): \"rect\" must be [x, y, width, height] in image points, in every line or in none"
                )
            }
            all.append(Rect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]))
            items[index].rest.removeAll { $0.name == "rect" }
        }
        self.all = all
    }
}
#endif
