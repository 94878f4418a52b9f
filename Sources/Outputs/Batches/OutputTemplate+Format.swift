package import PictureEncoding

extension OutputTemplate {
    /// Returns the format of pictures at these paths: the one that is asked for, else that of the extension.
    ///
    /// - Parameter usual: the format of names without the extension of a format.
    /// - Throws: `BatchError.badTemplate` if the extension is that of another format, or that of each input.
    package func format(asked: PictureFormat?, usual: PictureFormat) throws(BatchError) -> PictureFormat {
        switch ending {
        case .fixed(let ending):
            guard let named = PictureFormat(fileExtension: ending) else { return asked ?? usual }
            if let asked, asked != named {
                throw .badTemplate(
                    text, reason: "the extension means \(named.rawValue), and the format is \(asked.rawValue)"
                )
            }
            return named
        case .place(.ext):
            throw .badTemplate(
                text, reason: "{ext} is the extension of the input; write {format} or that of a format")
        case .place, nil: return asked ?? usual
        }
    }
}
