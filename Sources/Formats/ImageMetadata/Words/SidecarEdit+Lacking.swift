extension SidecarEdit {
    /// The changes without those that a file and its sidecar state already.
    ///
    /// - Parameter metadata: what programs read from both.
    package func lacking(in metadata: FileMetadata?) -> SidecarEdit {
        guard let metadata else { return self }
        var edit = self
        if edit.title == metadata.title.map(Change.set) { edit.title = .keep }
        if edit.caption == metadata.caption.map(Change.set) { edit.caption = .keep }
        if case .set(let words) = edit.keywords, Set(words) == Set(metadata.keywords) {
            edit.keywords = .keep
        }
        if edit.rating == metadata.rating.map(Change.set) { edit.rating = .keep }
        if edit.label == metadata.label.map(Change.set) { edit.label = .keep }
        if case .set(let date) = edit.date, let its = metadata.date, its.local == date.local,
            its.precision == date.precision, its.offset == date.offset
        {
            edit.date = .keep
        }
        if case .set(let location) = edit.location, let its = metadata.location,
            abs(location.latitude - its.latitude) < 1e-7, abs(location.longitude - its.longitude) < 1e-7
        {
            edit.location = .keep
        }
        return edit
    }
}
