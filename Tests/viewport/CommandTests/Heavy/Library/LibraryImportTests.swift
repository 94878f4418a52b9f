import Foundation
import TestHarness
import TestSupport
import Testing

@Suite("viewport library import", .ownThread)
struct LibraryImportTests {
    /// Returns the bytes of the visible files in a folder by path.
    private func contents(_ library: LibraryProgram, _ folder: String) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for path in library.folder.files(below: folder) where !path.hasPrefix(".viewport-library") {
            guard !path.contains("/.") else { continue }
            contents[path] = try library.folder.data("\(folder)/\(path)")
        }
        return contents
    }

    /// Returns the number of files that have their final names.
    private func arrivals(_ library: LibraryProgram) -> Int {
        library.folder.files(below: "library").count { !$0.hasPrefix(".") && !$0.contains("/.") }
    }

    private func importing(_ library: LibraryProgram, _ options: [String]) -> Process {
        let process =
            options.isEmpty
            ? library.process("import", library.card) : library.process("import", library.card, options[0])
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return process
    }

    @Test("loses and duplicates no photos when it is killed at any point", arguments: [["--move"], []])
    func killed(_ options: [String]) async throws {
        let library = try LibraryProgram()
        try await library.run("init")
        var random = SplitMix64(seed: UInt64(17 + options.count))
        var photos: Set<Data> = []
        var (kills, partial) = (0, 0)
        // The maximum in microseconds; reduced on machines where runs finish earlier.
        var longest: UInt64 = 400_000
        for round in 0..<40 where kills < 16 {
            // Some runs are killed at random times, some as soon as the first files of many are imported.
            let isCaught = round % 4 == 3
            for number in 0..<(isCaught ? 140 : 20) {
                let bytes = TinyPhoto.jpeg(
                    date: "2014:05:\(10 + number % 9) 10:00:00", salt: UInt64(photos.count),
                    count: isCaught ? 5000 : 100_000)
                photos.insert(Data(bytes))
                // Names repeat, so that the plan has to number them.
                try library.write("card/\(round)/IMG_\(number).JPG", bytes)
            }
            if isCaught {
                // The first file takes so long that its name would be visible before it is complete.
                let bytes =
                    TinyPhoto.jpeg(date: "2014:05:09 10:00:00", salt: UInt64(photos.count))
                    + [UInt8](repeating: 7, count: 8_000_000)
                photos.insert(Data(bytes))
                try library.write("card/\(round)/A.JPG", bytes)
            }
            let before = try contents(library, "library").count
            let process = importing(library, options)
            try process.start()
            if isCaught {
                while process.isRunning, arrivals(library) == before {
                    try await Task.sleep(for: .microseconds(200))
                }
            } else {
                try await Task.sleep(for: .microseconds(Int(5000 + random.next() % longest)))
            }
            kill(process.processIdentifier, SIGKILL)
            await process.end()
            let arrived = try contents(library, "library")
            let left = try contents(library, "card")
            // All files are complete, present once, and none is lost.
            #expect(Set(arrived.values).isSubset(of: photos) && Set(arrived.values).count == arrived.count)
            #expect(Set(arrived.values).union(left.values) == photos)
            if process.terminationReason == .uncaughtSignal {
                kills += 1
                if arrived.count > before, arrived.count < photos.count { partial += 1 }
            } else {
                #expect(process.terminationStatus == 0)
                if !isCaught { longest = longest * 3 / 4 }
            }
        }
        #expect(kills == 16 && partial > 0, "\(partial) of \(kills) were killed in their midst")
        let last = importing(library, options)
        try last.start()
        await last.end()
        #expect(last.terminationStatus == 0)
        #expect(Set(try contents(library, "library").values) == photos)
        #expect(library.folder.files(below: "card").isEmpty == !options.isEmpty)
        #expect(!library.folder.files(below: "library").contains { $0.contains(".viewport-import-") })
        #expect(try await library.run("list", "--json").lines.count == photos.count)
        let again = try await library.run("import", library.card, "--json")
        #expect(again.json["taken"] as? Int == 0)
    }

    @Test("plans the same on every dry run, and changes nothing")
    func dryRun() async throws {
        let library = try LibraryProgram()
        try await library.run("init")
        try library.write("card/a.jpg", TinyPhoto.jpeg(date: "2014:05:25 10:00:00"))
        try library.write("card/b.jpg", TinyPhoto.jpeg(date: "2014:05:25 10:00:00"))
        let plan = try await library.run("import", library.card, "-n").text
        #expect(try await library.run("import", library.card, "--dry-run").text == plan)
        let actions = try await library.run("import", library.card, "-n", "--json").lines.map {
            $0["action"] as? String
        }
        #expect(actions == ["copy", "duplicate"])
        #expect(try contents(library, "library").isEmpty)
    }

    @Test("can run twice at a time, and while the library is indexed")
    func together() async throws {
        let library = try LibraryProgram()
        try await library.run("init")
        for number in 0..<60 {
            try library.write(
                "card/\(number).jpg", TinyPhoto.jpeg(date: "2014:05:25 10:00:00", salt: UInt64(number)))
        }
        let processes = [
            library.process("import", library.card), library.process("import", library.card),
            library.process("index"), library.process("index"),
        ]
        for process in processes {
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.start()
        }
        for process in processes { await process.end() }
        // A process that finds the library busy reports it.
        #expect(processes.allSatisfy { [0, 75].contains($0.terminationStatus) })
        #expect(try await library.run("import", library.card).code == 0)
        #expect(try await library.run("list", "--json").lines.count == 60)
        #expect(try contents(library, "library").count == 60)
    }

    @Test("locates photos by a track and names their places")
    func track() async throws {
        let library = try LibraryProgram()
        try await library.run("init")
        try library.write("card/a.jpg", TinyPhoto.jpeg(date: "2014:05:25 10:00:30"))
        try library.write(
            "a.gpx",
            Array(
                """
                <gpx><trk><trkseg><trkpt lat="47.05" lon="8.3"><time>2014-05-25T08:00:00Z</time></trkpt>
                <trkpt lat="47.05" lon="8.31"><time>2014-05-25T08:01:00Z</time></trkpt></trkseg></trk></gpx>
                """.utf8))
        try library.write(
            "towns.csv", Array("lat,lon,name,admin1,admin2,cc\n47.05048,8.30635,Luzern,Lucerne,,CH\n".utf8))
        #expect(
            try await library.run(all: ["library", "places", "install", library.folder.path("towns.csv")])
                .code == 0
        )
        let result = try await library.run(
            "import", library.card, "--gpx", library.folder.path("a.gpx"), "--assume-zone", "Europe/Zurich",
            "--json")
        #expect((result.json["geotag"] as? [String: Any])?["located"] as? Int == 1)
        let asset = try #require(
            try await library.run("list", "--json", "--near", "47.05,8.305,0.1").lines.first)
        #expect(asset["place"] as? String == "Luzern, Lucerne, CH")
        #expect((asset["location"] as? [String: Any])?["source"] as? String == "GPX")
        #expect(try await library.run("places").text.contains("GeoNames"))
        #expect(
            try await library.run("list", "--group-by", "place", "--entries", "--json").json["group"]
                as? String
                == "Luzern, Lucerne, CH")
        #expect(try await library.run("find", "luz", "--json").lines.count == 1)
    }
}
