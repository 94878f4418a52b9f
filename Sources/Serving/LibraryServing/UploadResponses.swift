#if Server && Library
internal import Basics
internal import Files
internal import HTTPTypes
internal import PhotoCatalog
internal import TileServing

/// `upload/{session}`: files that a page sends to a library, in pieces of at most 8 MB, and their import.
///
/// GET tells what has arrived. POST to `upload/{session}/{folder}/{name}?at=OFFSET&size=BYTES` adds a piece, and POST of
/// `{"do": "finish"}` to `upload/{session}` imports what has arrived.
struct UploadResponses {
    private let served: ServedLibrary
    private let folder: UploadFolder

    /// - Throws: `RouteError` if the server allows no edits, or the name of the session is none.
    init(_ served: ServedLibrary, session: Substring, _ services: ServerServices) throws(RouteError) {
        guard services.allowsEdits else {
            throw RouteError(
                .forbidden, "this server changes nothing; start it with --allow-edits to add photos")
        }
        guard let folder = UploadFolder(String(session), of: served.library) else {
            throw RouteError(.badRequest, "an upload is named by 16 to 64 hexadecimal digits")
        }
        (self.served, self.folder) = (served, folder)
    }

    func received() async throws -> JSONValue {
        let folder = folder
        let files = try await served.threads.run { folder.received() }
        return .object([
            "files": .array(
                files.map { .object(["name": .string($0.name), "bytes": .int($0.bytes)]) })
        ])
    }

    /// Adds a piece of a file; answers with the number of bytes that have arrived.
    func add(_ parts: ArraySlice<Substring>, _ request: RouteRequest) async throws -> JSONValue {
        guard let number = Int(strict: parts.first ?? ""), let name = PercentCoding.decode(parts.last ?? ""),
            let offset = Int(strict: request.value("at") ?? ""),
            let size = Int(strict: request.value("size") ?? "")
        else {
            throw RouteError(
                .badRequest, "the address is upload/SESSION/FOLDER/NAME?at=OFFSET&size=BYTES")
        }
        guard FilePath(name).fileExtension?.text.lowercased() != "zip" else {
            throw RouteError(
                .unsupportedMediaType, "ZIP archives are imported by viewport library import, not from pages")
        }
        let (folder, bytes) = (folder, request.body)
        let result: Result<Void, UploadFolder.Fault> = try await served.threads.run {
            if offset == 0 { folder.sweep() }
            do throws(UploadFolder.Fault) {
                return .success(try folder.append(bytes, to: name, folder: number, at: offset, size: size))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success: return .object(["bytes": .int(offset + bytes.count)])
        case .failure(.name):
            throw RouteError(
                .badRequest, "the name is no name of a file, or the piece is not within its size")
        case .failure(.position(let arrived)):
            throw RouteError(.conflict, "\(arrived) bytes of the file have arrived; continue there")
        case .failure(.unwritable(let reason)):
            throw RouteError(
                HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
                "the library cannot take the file: \(reason)")
        }
    }

    func finish(_ body: JSONValue) async throws -> JSONValue {
        guard body["do"]?.string == "finish" else {
            throw RouteError(.badRequest, "\"do\" is finish")
        }
        let report = try await folder.finish()
        if let stopped = report.stopped { throw stopped }
        return .object([
            "imported": .int(report.imported), "present": .int(report.present),
            "duplicates": .int(report.duplicates),
            "failures": .array(
                report.failures.map {
                    .object(["name": .string($0.file.name.text), "reason": .string($0.reason)])
                }),
        ])
    }
}
#endif
