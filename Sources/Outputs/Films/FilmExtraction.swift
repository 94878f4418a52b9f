package import Files
package import ImageMetadata

/// The film inside of a motion photo, which is copied as it is.
package struct FilmExtraction: Sendable {
    package let film: EmbeddedFilm
    private let file: OpenFile

    /// The bytes that are copied at once.
    private static let piece = 1 << 20

    /// - Parameter file: the photo.
    package init(_ film: EmbeddedFilm, of file: OpenFile) {
        (self.film, self.file) = (film, file)
    }

    /// Writes the film to an output, atomically.
    package func write(to output: Output) throws {
        try output.check()
        let hidden = try output.isSpecial ? output.path : output.hiddenPath()
        do {
            let rows = try RowFile(hidden, isOutput: true)
            try copy(rows.append)
            try rows.flush()
            try file.check()
            if !output.isSpecial { try output.publish(hidden) }
        } catch {
            if !output.isSpecial { OutputFile.remove(hidden) }
            throw error
        }
    }

    /// Lends the bytes of the film, piece by piece.
    package func copy(_ body: ([UInt8]) throws(FileError) -> Void) throws(FileError) {
        for start in stride(from: film.range.lowerBound, to: film.range.upperBound, by: Self.piece) {
            try body(file.bytes(start..<min(start + Self.piece, film.range.upperBound)))
        }
    }

    /// Returns whether a file has the bytes of the film already.
    package func isSame(as path: String) -> Bool {
        let range = film.range
        guard let other = try? OpenFile(path), other.count == range.count else { return false }
        return stride(from: 0, to: range.count, by: Self.piece).allSatisfy { start in
            let end = min(start + Self.piece, range.count)
            let own = try? file.bytes((range.lowerBound + start)..<(range.lowerBound + end))
            return own != nil && own == (try? other.bytes(start..<end))
        }
    }
}
