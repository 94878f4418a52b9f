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
        if case .set(let date) = edit.date, metadata.date?.isSame(as: date) == true { edit.date = .keep }
        if case .set(let location) = edit.location, metadata.location?.isSame(as: location) == true {
            edit.location = .keep
        }
        return edit
    }
}

extension CaptureDate {
    /// Whether it says the same as another date, whatever their sources are.
    func isSame(as other: CaptureDate) -> Bool {
        local == other.local && precision == other.precision && offset == other.offset
    }
}

extension Location {
    /// Whether it is the same place as another one, up to how sidecars round.
    func isSame(as other: Location) -> Bool {
        abs(latitude - other.latitude) < 1e-7 && abs(longitude - other.longitude) < 1e-7
    }
}
