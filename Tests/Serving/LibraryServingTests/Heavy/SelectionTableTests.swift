#if Server && Library
import Basics
import Foundation
import ImageMetadata
import PhotoCatalog
import TestSupport
import TestHarness
import Testing
import TileServing

/// One selection in the words of the command line, of addresses and of Swift.
struct SelectionCase: Sendable, CustomTestStringConvertible {
    var options: [String]
    var query: String
    var swift: @Sendable (PhotoLibrary) async throws -> AssetCollection

    init(
        _ options: String..., query: String,
        swift: @escaping @Sendable (PhotoLibrary) async throws -> AssetCollection
    ) {
        (self.options, self.query, self.swift) = (options, query, swift)
    }

    var testDescription: String { options.joined(separator: " ") }

    /// The same parameters as a request of a program reads them.
    var parameters: [(name: String, value: String)] {
        (URLComponents(string: "?" + query)?.queryItems ?? []).map { ($0.name, $0.value ?? "") }
    }
}

@Suite("Selections")
struct SelectionTableTests {
    static let viewport = BuiltProgram("viewport")

    static let cases = [
        SelectionCase(query: "by=all&order=ascending") { $0.collection() },
        SelectionCase("--sort", "desc", query: "by=all&order=descending") {
            $0.collection(sorter: .dateDescending)
        },
        SelectionCase("--sort", "date:desc", query: "group-by=all&sort=date:descending") {
            $0.collection(sorter: .dateDescending)
        },
        SelectionCase("--sort", "descending", "--group-by", "week", query: "by=week&order=desc") {
            $0.collection(grouping: .week, sorter: .dateDescending)
        },
        SelectionCase("--group-by", "place", query: "by=place&order=date") {
            $0.collection(grouping: .place)
        },
        SelectionCase("--filter", "jpeg", query: "by=all&order=asc&show=jpeg") {
            $0.collection(filter: AssetKinds.jpeg)
        },
        SelectionCase("--filter", "png,video", query: "by=all&order=asc&filter=png,video") {
            $0.collection(filter: [.png, .video] as AssetKinds)
        },
        SelectionCase("--filter", "motion", query: "by=all&show=motion") {
            $0.collection(filter: AssetKinds.motion)
        },
        SelectionCase("--place", "SWITZER", query: "by=all&order=asc&place=SWITZER") {
            $0.collection(filter: PlaceFilter(containing: "switzer"))
        },
        SelectionCase("--near", "46.2,6.14,0.3", query: "by=all&order=asc&near=46.2,6.14,0.3") {
            $0.collection(filter: NearFilter(latitude: 46.2, longitude: 6.14, distance: 300))
        },
        SelectionCase("--to", "2014-05", query: "by=all&order=asc&to=2014-05") {
            $0.collection(filter: try DateFilter(to: "2014-05"))
        },
        SelectionCase("--album", "Picks", query: "by=all&order=asc&group=picks") {
            $0.collection(of: .picks)
        },
        SelectionCase("--album", "picks", query: "by=all&order=asc&album=PICKS") {
            $0.collection(of: .picks)
        },
        SelectionCase(
            "--where", "camera:x100 -is:video", "--filter", "photo",
            query: "by=all&order=asc&show=photo&where=camera:x100%20-is:video"
        ) {
            $0.collection(
                filter: FilterIntersection([AssetKinds.photo, try AssetQuery("camera:x100 -is:video")]))
        },
        SelectionCase("--where", "album:picks", query: "by=all&order=asc&where=album:PICKS") {
            $0.collection(of: .picks)
        },
    ]

    @Test("find the same photos in the same order on the command line, over HTTP and in Swift")
    func agreement() async throws {
        try await RunningLibrary.with { running in
            let library = running.library
            var changed = try await library.collection().assets(0..<1000)
            for index in changed.indices {
                changed[index].model = index % 2 == 0 ? "X100V" : "EOS 5D"
                guard index < 10 else { continue }
                changed[index].place = index < 5 ? "Genève, CH" : "Chamonix, FR"
                changed[index].location = Location(
                    latitude: 46.2 + Double(index) / 1000, longitude: 6.14, source: .exif)
            }
            try await library.update(changed)
            try await library.add(changed.prefix(5).map(\.id), to: .picks)
            for selection in Self.cases {
                let expected = Array(try await selection.swift(library).snapshot().ids)
                let request = try AssetRequest(selection.parameters)
                #expect(
                    Array(try await library.collection(for: request).snapshot().ids) == expected,
                    "\(selection.parameters)")
                let answer = try await running.probe.send("\(running.address)ids?\(selection.query)")
                let served = try JSONValue(parsing: answer.text)["ids"]?.array?.compactMap(\.int)
                #expect(served == expected.map(Int.init), "\(selection.query): \(answer.text)")
                let result = try await Self.viewport.run(
                    ["library", "list", running.folder.url.path, "--json"] + selection.options,
                    environment: ["XDG_DATA_HOME": running.folder.path("data")])
                let listed = try result.text.split(separator: "\n").map {
                    try JSONValue(parsing: String($0))["id"]?.int
                }
                #expect(listed == expected.map(Int.init), "\(selection.options): \(result.errors)")
            }
        }
    }
}
#endif
