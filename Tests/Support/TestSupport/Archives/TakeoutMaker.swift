import Foundation

/// A Google Takeout of generated photos, in every form that exports have had, with the truth about each file.
package struct TakeoutMaker {
    /// How a photo and its sidecar are named.
    package enum Form: CaseIterable, Sendable {
        case plain, supplemental, cutWord, numbered, numberedWord, numberedInside
        case edited, editedNumbered, editedAlone, cutAt46, cutAt51, cutWithWord, cutEdited
        case live, liveNumbered, motion, title, entities, accents, dated
        case inAlbum, onlyInAlbum, trashed, archived, withoutSidecar, withoutFile
    }

    /// What is true of a photo or video.
    package struct Truth: Equatable, Sendable {
        package var bytes: [UInt8]
        /// Seconds since 1970 UTC.
        package var taken: Int?
        /// The date in the file, "2014:05:25 10:00:00".
        package var exif: String?
        package var latitude: Double?
        package var caption: String?
        package var people: [String] = []
        package var album: String?
        package var isFavorite = false
        package var isTrashed = false
        package var isArchived = false
        /// The path of the original of an edited copy or of the film of a live photo.
        package var original: String?
    }

    /// The files of the export by their paths inside of it.
    package private(set) var files: [String: [UInt8]] = [:]
    /// The photos and videos.
    package private(set) var media: [String: Truth] = [:]
    package private(set) var withoutFile: [String] = []
    package private(set) var withoutSidecar: [String] = []
    package private(set) var albums: [String] = []

    private var random: SplitMix64
    private var number = 0
    private let year: String
    private static let word = "supplemental-metadata"

    /// - Parameters:
    ///   - count: the least number of photos and videos.
    ///   - year: the name of folders of a year, with "YYYY".
    package init(count: Int, seed: UInt64, year: String = "Photos from YYYY") {
        random = SplitMix64(seed: seed)
        self.year = year
        while media.count < count {
            for form in Form.allCases where media.count < count { add(form) }
        }
        files["Takeout/archive_browser.html"] = Array("<html></html>".utf8)
        files["Takeout/Google Photos/print-subscriptions.json"] = Array(#"{"subscription":[]}"#.utf8)
    }

    private static let editedWords = [
        "edited", "bearbeitet", "modifié", "editado", "modificato", "bewerkt", "edytowane", "redigerad",
    ]

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func truth(_ bytes: (String?) -> [UInt8]) -> Truth {
        let taken = Int.random(in: 946_684_800..<1_577_836_800, using: &random)
        var exif: String?
        if chance(50) {
            // A wall clock in some time zone.
            let zone = Int.random(in: -11...13, using: &random) * 3600
            exif = Self.text(taken + zone, "yyyy:MM:dd HH:mm:ss")
        }
        var truth = Truth(bytes: bytes(exif), taken: taken, exif: exif)
        if chance(40) {
            truth.latitude = Double(Int.random(in: -8_000...8_000, using: &random) * 2 + 1) / 200
        }
        if chance(40) { truth.caption = "Words \(number) & <more> \"here\"" }
        if chance(30) { truth.people = ["Zoë \(number % 7)", "Ana"] }
        truth.isFavorite = chance(20)
        return truth
    }

    private static func text(_ seconds: Int, _ format: String) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = format
        return formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
    }

    private mutating func photo() -> Truth {
        number += 1
        let salt = UInt64(number)
        return truth { TinyPhoto.jpeg(date: $0, salt: salt) }
    }

    private mutating func film(_ truth: Truth) -> Truth {
        number += 1
        var film = truth
        film.exif = nil
        film.bytes = FilmMaker.film(brand: "mp42", created: 0, seconds: 1 + number)
        return film
    }

    private func folder(_ truth: Truth) -> String {
        let text = Self.text(truth.taken ?? 0, "yyyy")
        return "Takeout/Google Photos/\(year.replacingOccurrences(of: "YYYY", with: text))/"
    }

    private mutating func put(_ path: String, _ truth: Truth) {
        files[path] = truth.bytes
        media[path] = truth
    }

    private mutating func sidecar(_ path: String, _ truth: Truth, title: String) {
        let unknown = #"{"latitude":0.0,"longitude":0.0,"altitude":0.0}"#
        let place =
            truth.latitude.map { #"{"latitude":\#($0),"longitude":6.25,"altitude":372.5}"# } ?? unknown
        let isOfExif = chance(30)
        func quoted(_ text: String) -> String {
            let data = try? JSONSerialization.data(withJSONObject: [text])
            return String(decoding: data ?? Data(), as: UTF8.self).dropFirst().dropLast().description
        }
        let people = truth.people.map { #"{"name":\#(quoted($0))}"# }.joined(separator: ",")
        files[path] = Array(
            """
            {"title":\(quoted(title)),"description":\(quoted(truth.caption ?? "")),"imageViews":"3",
             "creationTime":{"timestamp":"1600000000","formatted":"Sep 13, 2020"},
             "photoTakenTime":{"timestamp":"\(truth.taken ?? 0)","formatted":"a day"},
             "geoData":\(isOfExif ? unknown : place),"geoDataExif":\(place),
             \(truth.people.isEmpty ? "" : #""people":[\#(people)],"#)
             \(truth.isFavorite ? #""favorited":true,"# : "")\(truth.isArchived ? #""archived":true,"# : "")
             \(truth.isTrashed ? #""trashed":true,"# : "")"url":"https://photos.google.com/photo/A"}
            """.utf8)
    }

    private mutating func album(_ title: String) -> String {
        let folder = "Takeout/Google Photos/\(title.replacingOccurrences(of: ":", with: "_"))/"
        if !albums.contains(title) {
            albums.append(title)
            let name = chance(50) ? "metadata.json" : "Metadaten.json"
            files[folder + name] = Array(
                #"{"title":"\#(title)","description":"","access":"protected","date":{"timestamp":"0"}}"#.utf8)
        }
        return folder
    }

    private func cut(_ name: String) -> String { String(name.prefix(46)) }

    private mutating func add(_ form: Form) {
        var truth = photo()
        let stem = "P\(number)"
        let long = "Long_\(number)_" + String(repeating: "abcdefghij", count: 6)
        let home = folder(truth)
        func path(_ name: String) -> String { home + name }
        switch form {
        case .plain:
            put(path("\(stem).jpg"), truth)
            sidecar(path("\(stem).jpg.json"), truth, title: "\(stem).jpg")
        case .supplemental:
            put(path("\(stem).jpg"), truth)
            sidecar(path("\(stem).jpg.\(Self.word).json"), truth, title: "\(stem).jpg")
        case .cutWord:
            put(path("\(stem).jpg"), truth)
            let length = Int.random(in: 0..<Self.word.count, using: &random)
            sidecar(path("\(stem).jpg.\(Self.word.prefix(length)).json"), truth, title: "\(stem).jpg")
        case .numbered, .numberedWord, .numberedInside:
            put(path("\(stem).jpg"), truth)
            sidecar(path("\(stem).jpg.json"), truth, title: "\(stem).jpg")
            var second = photo()
            (second.taken, second.exif) = (truth.taken, nil)
            second.bytes = TinyPhoto.jpeg(salt: UInt64(number))
            put(path("\(stem)(1).jpg"), second)
            let name =
                form == .numbered
                ? "\(stem).jpg(1).json"
                : form == .numberedWord ? "\(stem).jpg.\(Self.word)(1).json" : "\(stem)(1).jpg.json"
            sidecar(path(name), second, title: "\(stem).jpg")
        case .edited, .editedNumbered, .editedAlone:
            let mark = form == .editedNumbered ? "(2)" : ""
            let original = path("\(stem)\(mark).jpg")
            if form != .editedAlone { put(original, truth) }
            let name = mark.isEmpty ? "\(stem).jpg.json" : "\(stem).jpg\(mark).json"
            sidecar(path(name), truth, title: "\(stem).jpg")
            var copy = truth
            number += 1
            copy.bytes = TinyPhoto.jpeg(date: truth.exif, salt: UInt64(number))
            copy.original = form == .editedAlone ? nil : original
            let word = Self.editedWords[number % Self.editedWords.count]
            put(path("\(stem)-\(word)\(mark).jpg"), copy)
        case .cutAt46:
            put(path("\(long.prefix(42)).jpg"), truth)
            sidecar(path("\(long.prefix(42)).jpg.json"), truth, title: "\(long).jpg")
        case .cutAt51:
            put(path("\(long.prefix(47)).jpg"), truth)
            sidecar(path("\(cut(long)).json"), truth, title: "\(long).jpg")
        case .cutWithWord:
            let name = "\(long.prefix(Int.random(in: 30..<47, using: &random))).jpg"
            put(path(name), truth)
            sidecar(path(cut("\(name).\(Self.word)") + ".json"), truth, title: name)
        case .cutEdited:
            let name = "\(long.prefix(38)).jpg"
            put(path(name), truth)
            sidecar(path("\(name).json"), truth, title: name)
            var copy = truth
            number += 1
            copy.bytes = TinyPhoto.jpeg(date: truth.exif, salt: UInt64(number))
            copy.original = path(name)
            put(path("\(long.prefix(38))-edited".prefix(43) + ".jpg"), copy)
        case .live, .liveNumbered, .motion:
            let mark = form == .liveNumbered ? "(1)" : ""
            let name = form == .motion ? "\(stem).MP.jpg" : "\(stem)\(mark).jpg"
            put(path(name), truth)
            sidecar(
                path(mark.isEmpty ? "\(name).json" : "\(stem).jpg\(mark).json"), truth, title: "\(stem).jpg")
            var film = film(truth)
            film.original = path(name)
            put(path(form == .motion ? "\(stem).MP" : "\(stem)\(mark).MP4"), film)
        case .title:
            put(path("\(stem)_a_b.jpg"), truth)
            sidecar(path("\(stem)_.json"), truth, title: "\(stem):a?b.jpg")
        case .entities:
            put(path("\(stem)_s.jpg"), truth)
            sidecar(path("\(stem)-.json"), truth, title: "\(stem)&#39;s.jpg")
        case .accents:
            put(path("Été 日 \(stem).jpg"), truth)
            sidecar(path("Été 日 \(stem).jpg.\(Self.word).json"), truth, title: "Été 日 \(stem).jpg")
        case .dated:
            // The name has the local time of a phone two hours east.
            truth.exif = nil
            truth.bytes = TinyPhoto.jpeg(salt: UInt64(number))
            let name = Self.text((truth.taken ?? 0) + 7200, "'IMG_'yyyyMMdd'_'HHmmss") + "_\(number).jpg"
            put(path(name), truth)
            sidecar(path("\(name).json"), truth, title: name)
        case .inAlbum, .onlyInAlbum:
            let title = ["Summer", "Île de Ré", "A: B"][number % 3]
            let album = album(title)
            truth.album = title
            if form == .inAlbum {
                put(path("\(stem).jpg"), truth)
                sidecar(path("\(stem).jpg.json"), truth, title: "\(stem).jpg")
            }
            put(album + "\(stem).jpg", truth)
            sidecar(album + "\(stem).jpg.json", truth, title: "\(stem).jpg")
        case .trashed:
            truth.isTrashed = true
            put("Takeout/Google Photos/Trash/\(stem).jpg", truth)
            sidecar("Takeout/Google Photos/Trash/\(stem).jpg.json", truth, title: "\(stem).jpg")
        case .archived:
            truth.isArchived = true
            put(path("\(stem).jpg"), truth)
            sidecar(path("\(stem).jpg.json"), truth, title: "\(stem).jpg")
        case .withoutSidecar:
            truth = Truth(bytes: truth.bytes, exif: truth.exif)
            put(path("\(stem).jpg"), truth)
            withoutSidecar.append(path("\(stem).jpg"))
        case .withoutFile:
            sidecar(path("\(stem).jpg.json"), truth, title: "\(stem).jpg")
            withoutFile.append(path("\(stem).jpg.json"))
        }
    }

    /// Writes the export as a folder.
    package func write(to folder: String) throws {
        for (path, bytes) in files {
            let url = URL(fileURLWithPath: "\(folder)/\(path)")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: url)
        }
    }

    /// Writes the export as archives, with any file in any of them.
    package func writeArchives(_ count: Int, to folder: String, seed: UInt64) throws -> [String] {
        var random = SplitMix64(seed: seed)
        var makers = [ZipMaker](repeating: ZipMaker(), count: count)
        for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
            var entry = ZipMaker.Entry(path, bytes)
            entry.isDeflated = Bool.random(using: &random)
            entry.hasDescriptor = Bool.random(using: &random)
            makers[Int.random(in: 0..<count, using: &random)].entries.append(entry)
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return try makers.enumerated().map { number, maker in
            let path = "\(folder)/takeout-20240101T000000Z-00\(number + 1).zip"
            try Data(maker.bytes()).write(to: URL(fileURLWithPath: path))
            return path
        }
    }
}
