#if Server && Library
import Basics
import Foundation
import LibraryServing
import PhotoCatalog
import TestSupport
import Testing
import TileServing

@Suite("Photos that pages add to a library")
struct LibraryUploadTests {
    private static let own = [
        ("Content-Type", "application/octet-stream"), ("X-Viewport-Request", "page"),
        ("Sec-Fetch-Site", "same-origin"),
    ]
    private static let session = "0123456789abcdef"

    private static func with(
        edits: Bool = true, _ body: @escaping @Sendable (RunningLibrary) async throws -> Void
    ) async throws {
        try await RunningLibrary.with(settings: { $0.allowsEdits = edits }) { try await body($0) }
    }

    private static func send(
        _ running: RunningLibrary, _ name: String, _ bytes: some Collection<UInt8>, at offset: Int = 0,
        of size: Int? = nil, headers: [(String, String)] = own
    ) async throws -> HTTPProbe.Response {
        try await running.probe.send(
            running.address + "upload/\(session)/\(name)?at=\(offset)&size=\(size ?? bytes.count)",
            method: "POST", headers: headers, body: Array(bytes))
    }

    private static func finish(_ running: RunningLibrary) async throws -> JSONValue {
        let headers = [("Content-Type", "application/json")] + own.dropFirst()
        let answer = try await running.probe.send(
            running.address + "upload/\(session)", method: "POST", headers: headers,
            body: Array(#"{"do":"finish"}"#.utf8))
        #expect(answer.status == 200, "\(answer.text)")
        return try JSONValue(parsing: answer.text)
    }

    @Test("arrive in pieces, are continued where they ended, and are imported by the library's rules")
    func pieces() async throws {
        try await Self.with { running in
            let photo = TinyPhoto.jpeg(date: "2019:03:04 10:00:00", salt: 77)
            let half = photo.count / 2
            let first = try await Self.send(running, "0/IMG%207.JPG", photo[..<half], of: photo.count)
            #expect(first.status == 200, "\(first.text)")
            // The same piece again, and one that is too far: the answer tells where to continue.
            for offset in [0, half + 1] {
                let answer = try await Self.send(
                    running, "0/IMG%207.JPG", photo[offset...].prefix(4), at: offset, of: photo.count)
                #expect(answer.status == 409 && answer.text.hasPrefix("\(half) bytes"), "\(answer.text)")
            }
            let arrived = try await running.probe.send(running.address + "upload/\(Self.session)").text
            #expect(arrived.contains(#""name":"0/IMG 7.JPG","bytes":\#(half)"#), "\(arrived)")
            // What has not arrived whole is not imported.
            #expect(try await Self.finish(running)["imported"] == .int(0))
            let rest = try await Self.send(
                running, "0/IMG%207.JPG", photo[half...], at: half, of: photo.count)
            #expect(rest.status == 200)
            #expect(try await Self.send(running, "0/IMG%207.xmp", Array("<x:xmpmeta/>".utf8)).status == 200)
            #expect(try await Self.send(running, "0/notes.txt", Array("no photo".utf8)).status == 200)
            // Its equal is in the library already.
            let known = try running.folder.data("even/IMG_0_0.jpg")
            #expect(try await Self.send(running, "1/other.jpg", Array(known)).status == 200)
            let done = try await Self.finish(running)
            #expect(done["imported"] == .int(2) && done["duplicates"] == .int(1), "\(done)")
            #expect(done["failures"] == .array([]))
            let path = "2019/2019-03-04/IMG 7.JPG"
            #expect(try Array(running.folder.data(path)) == photo)
            #expect(try await running.library.asset(path: path)?.sidecar == "2019/2019-03-04/IMG 7.xmp")
            let hidden = running.folder.path(".viewport-library/uploads")
            #expect(!FileManager.default.fileExists(atPath: hidden))
        }
    }

    static let refused: [(name: String, status: Int)] = [
        ("0/..", 400), ("0/.hidden.jpg", 400), ("0/a%2Fb.jpg", 400), ("0/a%00.jpg", 400), ("x/a.jpg", 400),
        ("0/takeout.ZIP", 415),
        ("-1/a.jpg", 400), ("0/" + String(repeating: "n", count: 260), 400),
    ]

    @Test("have names of files only", arguments: refused)
    func names(_ name: String, _ status: Int) async throws {
        try await Self.with { running in
            let answer = try await Self.send(running, name, [1, 2, 3])
            #expect(answer.status == status)
        }
    }

    @Test("are refused without permission, from other websites, and where they are no piece of a file")
    func permission() async throws {
        try await Self.with(edits: false) { running in
            let answer = try await Self.send(running, "0/a.jpg", [1])
            #expect(answer.status == 403 && answer.text.contains("--allow-edits"))
        }
        try await Self.with { running in
            #expect(try await Self.send(running, "0/a.jpg", [1], headers: [Self.own[0]]).status == 403)
            let json = [("Content-Type", "application/json")] + Self.own.dropFirst()
            #expect(try await Self.send(running, "0/a.jpg", [1], headers: json).status == 415)
            let foreign = Array(Self.own.dropLast()) + [("Sec-Fetch-Site", "cross-site")]
            #expect(try await Self.send(running, "0/a.jpg", [1], headers: foreign).status == 403)
            #expect(try await Self.send(running, "0/a.jpg", [1, 2], of: 1).status == 400)
            let large = [UInt8](repeating: 0, count: (8 << 20) + 1)
            #expect(try await Self.send(running, "0/a.jpg", large).status == 413)
            let wrong = try await running.probe.send(running.address + "upload/NO")
            #expect(wrong.status == 400)
        }
    }
}
#endif
