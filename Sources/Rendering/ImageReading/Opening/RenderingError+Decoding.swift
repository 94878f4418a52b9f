internal import Containers
package import Files
package import Pictures
internal import Vips

extension RenderingError {
    /// Returns why a file cannot be decoded: the damage in its structure, or else the decoder's message.
    package static func decoding(_ file: OpenFile, log: String) -> RenderingError {
        guard file.isUnchanged else { return .changed(file: file.path) }
        if let damage = FileDamage.find(FileBytes(file)) { return RenderingError(damage, of: file) }
        if VipsLibrary.isUnusable { return .library(detail: log) }
        let detail = log.replacing(file.descriptorPath, with: file.path)
        return .damaged(
            file: file.path, detail: detail.isEmpty ? "its decoder stops without a reason" : detail)
    }

    /// Creates the error for a damaged file that is rejected.
    init(_ damage: FileDamage, of file: OpenFile) {
        self =
            damage.isShowable
            ? .truncated(file: file.path, missing: damage.text)
            : .damaged(file: file.path, detail: damage.text)
    }
}
