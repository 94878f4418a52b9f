internal import Basics
public import Batches
package import Files
internal import ViewportRendering
internal import Vips

/// Makes the thumbnails of files and stores them.
package struct ThumbnailWork: BatchWork {
    private let maker: ThumbnailMaker
    private let store: any ThumbnailStore
    private let fingerprint: String
    package let resultMembers: [String]

    package init(_ recipe: ThumbnailRecipe, to store: any ThumbnailStore) {
        maker = ThumbnailMaker(recipe)
        self.store = store
        fingerprint = recipe.shortFingerprint
        resultMembers = recipe.makesPlaceholder ? ["placeholder"] : []
    }

    package var noun: String { "thumbnail" }

    package var identity: BatchIdentity { .path }

    package var naming: OutputNaming? { store.naming }

    package var recipe: BatchRecipe { .common(fingerprint) }

    /// A line with a look has its own recipe, and a file any number of such lines.
    package var ownMembers: [StaticString] { ["look"] }

    package func fingerprint(of item: BatchItem) -> String {
        (try? ownRecipe(of: item))?.shortFingerprint ?? fingerprint
    }

    /// Returns the recipe of a line with a look; nil for one without.
    private func ownRecipe(of item: BatchItem) throws(BatchFailure) -> ThumbnailRecipe? {
        guard item.hasMember(of: ownMembers) else { return nil }
        do throws(InvalidText) {
            return try maker.recipe.looking(by: .object(item.rest))
        } catch {
            throw .badOption(item, "\(error)")
        }
    }

    package func outputs(of item: BatchItem) throws(BatchFailure) -> [String] {
        try store.outputs(of: item)
    }

    package func make(
        _ item: BatchItem, _ outputs: [String], _ source: FileStatus?
    ) throws(BatchFailure) -> BatchOutput {
        var (maker, store) = (maker, store)
        if let recipe = try ownRecipe(of: item) {
            guard let other = store.store(for: recipe) else {
                throw .badOption(item, "thumbnails of the desktop's cache are flat: leave out \"look\"")
            }
            (maker, store) = (ThumbnailMaker(recipe), other)
        }
        if let source {
            if let kept = store.existing(item, outputs, source) {
                return BatchOutput(.skipped(kept.outputs), notes: Self.notes(kept.placeholder))
            }
            try store.prepare(item, outputs, source)
        }
        let made: ThumbnailSet
        do {
            made = try maker.makeSynchronously(item.file)
        } catch let error as ThumbnailError {
            throw BatchFailure(reading: error)
        } catch {
            throw BatchFailure(error, making: item.path, of: item)
        }
        // Another process wrote it meanwhile: the next run makes the thumbnails.
        guard let source = source ?? FileStatus(image: item.file) else {
            throw BatchFailure("missing", "\(item.file): disappeared; run it again")
        }
        let stored = try store.write(
            made.thumbnails, placeholder: made.placeholder, of: item, to: outputs, source)
        return BatchOutput(.made(stored), notes: Self.notes(made.placeholder, made.gainMap))
    }

    private static func notes(
        _ placeholder: String?, _ gainMap: ThumbnailSet.GainMapOutcome? = nil
    ) -> [JSONValue.Member] {
        let notes = [("placeholder", placeholder), ("gainMap", gainMap?.rawValue)]
        return notes.compactMap { name, text in text.map { .init(name: name, value: .string($0)) } }
    }

    /// Files that are not images, such as videos, are opened by other programs.
    package func memory(of item: BatchItem) -> Int {
        (try? ImageFile.open(item.file, maker.recipe.openOptions))?.decodingByteCount
            ?? ThumbnailMaker.videoByteCount
    }

    package func note(_ failure: BatchFailure, of item: BatchItem, _ source: FileStatus) {
        store.note(failure, of: item, source)
    }
}

extension ThumbnailRecipe {
    /// Returns the recipe with the look of a line: its "look", "fov", "projection" and "panorama".
    fileprivate func looking(by line: JSONValue) throws(InvalidText) -> ThumbnailRecipe {
        var recipe = self
        if let name = line["projection"] {
            guard let projection = name.string.flatMap({ LookProjection(rawValue: $0.lowercased()) }) else {
                let names = LookProjection.allCases.map(\.rawValue).joined(separator: ", ")
                throw InvalidText("\"projection\" is not one of \(names)")
            }
            recipe.projection = projection
        }
        if let assumes = line["panorama"] {
            guard case .bool(let assumes) = assumes else {
                throw InvalidText("\"panorama\" is not true or false")
            }
            recipe.assumesPanorama = assumes
        }
        recipe.look = try Look(members: line, upTo: recipe.projection.greatestFieldOfView)
        return recipe
    }
}

extension BatchResult {
    /// A ThumbHash in base64, if the recipe makes one.
    public var placeholder: String? { note("placeholder") }

    /// What happened to the gain map of the file; nil if it has none.
    public var gainMap: ThumbnailSet.GainMapOutcome? {
        note("gainMap").flatMap(ThumbnailSet.GainMapOutcome.init(rawValue:))
    }

    private func note(_ name: String) -> String? { notes.first { $0.name == name }?.value.string }
}

extension BatchFailure {
    /// The underlying error, if making the thumbnails failed.
    public var cause: ThumbnailError? {
        underlying as? ThumbnailError ?? (underlying as? RenderingError).map(ThumbnailError.rendering)
    }

    /// A source that could not be read.
    init(reading error: ThumbnailError) {
        if case .rendering(let error) = error {
            self.init(reading: error)
        } else {
            self.init(error.code, "\(error)", underlying: error)
        }
    }
}

extension ThumbnailMaker {
    /// An estimate of the memory that another program needs for a frame of a video.
    package static let videoByteCount = 128 << 20

    /// Prepares the process for many files: one thread per file.
    package static func prepareForBatch() { VipsLibrary.setConcurrency(1) }
}
