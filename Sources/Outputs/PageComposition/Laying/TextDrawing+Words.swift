internal import Vips

/// Words of a text where they are drawn, for programs that search, copy or read it.
extension TextDrawing {
    /// A word, or a line whose words cannot be told apart.
    struct PlacedWord: Equatable {
        /// The word, and a space where another one follows.
        var text: String
        /// The distance from the left of the frame, and from its top to that of the line, in pixels.
        var x: Int
        var y: Double
        var width: Int
        var height: Double
        /// Whether the first character is the rightmost.
        var isRightToLeft: Bool
    }

    /// Returns the words in the order of the text.
    ///
    /// - Parameter drawing: the drawn lines.
    func placedWords(_ drawing: Drawing, width: Int) -> [PlacedWord] {
        let lines = lines(of: drawing.text, width: width)
        guard !lines.isEmpty, let samples = try? drawing.image.pixels().copied() else { return [] }
        let height = Double(drawing.extent.height) / Double(max(1, drawing.extent.lines))
        var placed: [PlacedWord] = []
        for (number, words) in lines.enumerated() where !words.isEmpty {
            let top = Double(number) * height
            let rows = Int(top) - drawing.y..<Int(top + height) - drawing.y
            let runs = Self.runs(samples, drawing.image, rows: rows.clamped(to: 0..<drawing.image.height))
            guard let first = runs.first, let last = runs.last else { continue }
            let isRightToLeft = words.joined().isRightToLeft
            var spans = Self.spans(runs, count: words.count) ?? [first.lowerBound..<last.upperBound]
            if isRightToLeft { spans.reverse() }
            let texts = spans.count == words.count ? words : [words.joined(separator: " ")]
            for (text, span) in zip(texts, spans) {
                placed.append(
                    PlacedWord(
                        text: text + " ", x: drawing.x + span.lowerBound, y: top, width: span.count,
                        height: height, isRightToLeft: isRightToLeft))
            }
        }
        return placed
    }

    /// Returns the words of each line; a word that continues on the next line is there.
    private func lines(of text: String, width: Int) -> [[String]] {
        let words = text.split(whereSeparator: \.isWhitespace)
        var lines: [[String]] = []
        var next = 0
        while next < words.count {
            /// Whether a word ends on the line that is filled, or on one before it.
            func fits(_ index: Int) -> Bool {
                (extent(of: String(text[..<words[index].endIndex]), width: width)?.lines ?? 0) <= lines.count
                    + 1
            }
            // Empty lines, and all but the last line of a long word.
            guard fits(next) else {
                lines.append([])
                continue
            }
            var (fitting, tooMany) = (next, next + 1)
            while tooMany < words.count, fits(tooMany) {
                (fitting, tooMany) = (tooMany, tooMany + (tooMany - next) + 1)
            }
            tooMany = min(tooMany, words.count)
            while tooMany - fitting > 1 {
                let middle = (fitting + tooMany) / 2
                if fits(middle) { fitting = middle } else { tooMany = middle }
            }
            lines.append(words[next...fitting].map(String.init))
            next = fitting + 1
        }
        return lines
    }

    /// Returns the ranges of columns with ink in some rows.
    private static func runs(_ samples: [UInt8], _ image: VipsImage, rows: Range<Int>) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for column in 0..<image.width
        where rows.contains(where: { samples[($0 * image.width + column) * image.bands] >= 64 }) {
            if let last = runs.last, last.upperBound == column {
                runs[runs.count - 1] = last.lowerBound..<(column + 1)
            } else {
                runs.append(column..<(column + 1))
            }
        }
        return runs
    }

    /// Joins runs of ink to words: the widest gaps are between these; nil where there are too few.
    private static func spans(_ runs: [Range<Int>], count: Int) -> [Range<Int>]? {
        guard runs.count >= count else { return nil }
        let gaps = (1..<runs.count).sorted {
            runs[$0].lowerBound - runs[$0 - 1].upperBound > runs[$1].lowerBound - runs[$1 - 1].upperBound
        }
        let starts = [0] + gaps.prefix(count - 1).sorted()
        return starts.indices.map { index in
            let end = index + 1 < starts.count ? starts[index + 1] : runs.count
            return runs[starts[index]].lowerBound..<runs[end - 1].upperBound
        }
    }
}

extension String {
    /// Whether its first letter that has a direction is of a script that is written from right to left.
    ///
    /// Source: Unicode 16, DerivedBidiClass.txt, the ranges of R and AL.
    fileprivate var isRightToLeft: Bool {
        func isOfRight(_ value: UInt32) -> Bool {
            (0x590...0x8FF).contains(value) || (0xFB1D...0xFDFF).contains(value)
                || (0xFE70...0xFEFF).contains(value) || (0x10800...0x10FFF).contains(value)
                || (0x1E800...0x1EFFF).contains(value)
        }
        return unicodeScalars.first { $0.properties.isAlphabetic }.map { isOfRight($0.value) } ?? false
    }
}
