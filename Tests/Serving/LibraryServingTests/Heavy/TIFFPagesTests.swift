#if Server && Library
import Basics
import Foundation
@testable import LibraryServing
import PhotoCatalog
import TestSupport
import Testing
import TileServing

@Suite("The pages of a TIFF in a library")
struct LibraryTIFFPagesTests {
    /// Goes through the strip of a manifest from its first canvas on, as the page does, and prints each place.
    private static let walk = """
        import { readFile, writeFile } from "node:fs/promises";
        const [file, copy, base, manifest] = process.argv.slice(-4);
        const text = await readFile(file, "utf8");
        await writeFile(copy, text.replaceAll("import.meta.url", JSON.stringify(`${base}/page/strip.js`)));
        const { neighborsIn } = await import(copy);
        const { items } = await (await fetch(base + manifest)).json();
        const service = items[0].items[0].items[0].body.service[0].id;
        const identifier = service.slice(service.indexOf("/iiif/3/") + 8);
        let address = `${base}/view/${identifier}?manifest=${encodeURIComponent(manifest.slice(1))}`;
        const places = [];
        while (address && places.length < 99) {
          const place = await neighborsIn(address);
          places.push({ address, number: place?.number ?? 0, count: place?.count ?? 0 });
          address = place?.next?.address;
        }
        console.log(JSON.stringify(places));
        """

    private static func fill(_ folder: TemporaryFolder) throws {
        try RunningLibrary.write(TinyPhoto.jpeg(date: "2014:05:25 10:00:00"), "a.jpg", folder)
        try RunningLibrary.write(PageMaker.scan, "scan.tif", folder)
    }

    @Test(
        "are gone through one by one in the strip of a listing, by day or not",
        arguments: ["", "?group-by=day"])
    func strip(_ query: String) async throws {
        guard let node = BuiltProgram(installed: "node") else { try Test.cancel("there is no node") }
        try await RunningLibrary.with(Self.fill) { running in
            let copy = try TemporaryFolder()
            let result = try await node.run([
                "--input-type=module", "-e", Self.walk,
                PackageFolder.url("Sources/Serving/ViewerPages/Assets/strip.js").path, copy.path("strip.mjs"),
                "http://127.0.0.1:\(running.probe.port)", running.address + "group/all/manifest.json" + query,
            ])
            #expect(result.code == 0, "\(result.errors)")
            let places = try JSONValue(parsing: result.text).array ?? []
            #expect(
                places.map { $0["number"]?.int } == [1, 2, 3] && places.allSatisfy { $0["count"] == .int(3) })
            let id = try #require(try await running.library.asset(path: "scan.tif")?.id)
            for (place, page) in zip(places.suffix(2), ["scan.tif", "scan.tif;2"]) {
                let address = try #require(place["address"]?.string.flatMap { URLComponents(string: $0) })
                #expect(address.path.hasSuffix(page), "\(address)")
                #expect(address.queryItems?.first { $0.name == "asset" }?.value == "\(id)", "\(address)")
            }
        }
    }

    @Test("are canvases of a shared link, whose image services have their sizes")
    func shared() async throws {
        let own = [
            ("Content-Type", "application/json"), ("X-Viewport-Request", "page"),
            ("Sec-Fetch-Site", "same-origin"), ("Authorization", "Bearer secret"),
        ]
        try await RunningLibrary.with(
            Self.fill, settings: { ($0.allowsEdits, $0.token) = (true, "secret") }
        ) { running in
            let id = try #require(try await running.library.asset(path: "scan.tif")?.id)
            let made = try await running.probe.send(
                running.address + "share", method: "POST", headers: own,
                body: Array(#"{"assets":[\#(id)],"days":7,"title":"Pages"}"#.utf8))
            let address = "/" + (try #require(try JSONValue(parsing: made.text)["address"]?.string))
            let link = address.hasSuffix("/") ? address : address + "/"
            let manifest = try JSONValue(parsing: try await running.probe.send(link + "manifest.json").text)
            let canvases = manifest["items"]?.array ?? []
            let base = "http://127.0.0.1:\(running.probe.port)"
            var sizes: [[Int?]] = []
            for canvas in canvases {
                let body = canvas["items"]?.array?.first?["items"]?.array?.first?["body"]
                let service = try #require(body?["service"]?.array?.first?["id"]?.string)
                let info = try await running.probe.send(String(service.dropFirst(base.count)) + "/info.json")
                let json = try JSONValue(parsing: info.text)
                sizes.append([json["width"]?.int, json["height"]?.int])
                #expect(sizes.last == [canvas["width"]?.int, canvas["height"]?.int])
            }
            #expect(sizes == [[40, 30], [20, 50]], "\(manifest)")
        }
    }
}
#endif
