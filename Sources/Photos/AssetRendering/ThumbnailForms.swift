package import Assets
internal import Basics
package import Pictures
internal import Thumbnails
internal import ViewportRendering

/// A size and shape of thumbnails that is stored with a library.
package struct ThumbnailForm: Hashable, Sendable {
    /// The name in addresses of pages, and in the database.
    package let name: String
    package let form: AssetImages.Form
    private let quality: Int

    /// The squares of grids, maps and covers, the picture of a film, and the picture on contact sheets.
    package static let small = Self(name: "128", form: .thumbnail(side: 128), quality: 82)
    package static let medium = Self(name: "256", form: .thumbnail(side: 256), quality: 82)
    package static let large = Self(name: "512", form: .thumbnail(side: 512), quality: 82)
    package static let whole = Self(name: "whole", form: .aspectRatioThumbnail(side: 1024), quality: 82)
    package static let sheet = Self(
        name: "sheet", form: .aspectRatioThumbnail(side: ContactSheet.usualSide), quality: 92)

    /// The forms of pages.
    package static let ofPages = [small, medium, large, whole]

    /// Returns the forms that are stored of an asset: those that pages and sheets show of it.
    fileprivate static func stored(of asset: Asset) -> [Self] {
        [small, medium, large, sheet] + (asset.isVideo ? [whole] : [])
    }

    /// Encodes a JPEG, or a PNG if the picture has transparency.
    package func file(of picture: Picture) throws -> [UInt8] {
        try PictureEncoder(picture.hasAlpha ? .png : .jpg, quality: quality).encodeSynchronously(picture)
    }
}

/// Makes the thumbnails that pages and contact sheets show: all sizes in one decode.
package struct AssetThumbnails: AssetThumbnailMaker {
    private let memory: MemoryBudget?

    /// Creates a maker that bounds the memory of its decoders like batches do.
    package init() { memory = MemoryBudget(jobs: Processors.count) }

    package func thumbnails(of asset: Asset, at path: String) throws -> [AssetThumbnail]? {
        let forms = ThumbnailForm.stored(of: asset)
        guard asset.isVideo else {
            var options = OpenOptions()
            options.turn = asset.turn
            let file = try ImageFile.open(path, options)
            return try holding(file.decodingByteCount) { try Self.thumbnails(forms, of: file) }
        }
        do {
            return try holding(ThumbnailMaker.videoByteCount) {
                try VideoPicture.withFrame(path, ThumbnailForm.large.form) {
                    try Self.thumbnails(forms, of: $0)
                }
            }
        } catch ThumbnailError.noFFmpeg {
            return nil
        }
    }

    private func holding<R>(_ bytes: Int, _ body: () throws -> R) throws -> R {
        guard let memory else { return try body() }
        return try memory.holding(bytes) { Result(catching: body) }.get()
    }

    private static func thumbnails(_ forms: [ThumbnailForm], of file: ImageFile) throws -> [AssetThumbnail] {
        let viewports = forms.map { $0.form.viewport(of: file.uprightSize) }
        let pictures = try ViewportRenderer().renderBatch(
            viewports, of: file.reducedToEmbedded(for: viewports), asThumbnails: true)
        return try zip(forms, pictures).map { form, picture in
            AssetThumbnail(form: form.name, bytes: try form.file(of: picture))
        }
    }
}

extension AssetImages {
    /// Returns the picture of an asset on a contact sheet, stored or made now; nil if it has none.
    func sheetResult(of asset: Asset, side: Int) async -> Result<Picture?, any Error> {
        do {
            if side == ContactSheet.usualSide {
                let stored = try await BlockingExecutor.shared.run { storedSheetPicture(of: asset) }
                if let stored { return .success(stored) }
            }
            return .success(try await aspectRatioThumbnail(of: asset, side: side).final()?.picture)
        } catch {
            return .failure(error)
        }
    }

    private func storedSheetPicture(of asset: Asset) -> Picture? {
        guard let bytes = library.storedThumbnail(of: asset, ThumbnailForm.sheet.name),
            let file = try? ImageFile(bytesOf: bytes)
        else { return nil }
        let whole = Form.fullResolution.viewport(of: file.uprightSize)
        return try? ViewportRenderer().renderSynchronously(whole, of: file).picture
    }
}
