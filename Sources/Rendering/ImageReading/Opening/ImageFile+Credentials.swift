package import Basics
internal import Containers
internal import Files
internal import ImageMetadata

extension ImageFile {
    /// Whether the file has content credentials (C2PA), which are signed for its bytes; they are not verified.
    package var hasContentCredentials: Bool {
        // A remote file is not read further for them.
        !opened.isRemote && (try? ContentCredentials.areIn(FileBytes(opened))) == true
    }

    private var signer: CredentialSigner? {
        guard hasContentCredentials else { return nil }
        return ((try? ContentCredentials.store(in: FileBytes(opened))) ?? nil).flatMap(CredentialSigner.init)
    }

    /// Who signed the content credentials of the file, by the certificate in them, which is not verified; nil where they name
    /// nobody.
    package var credentialSigner: String? { signer?.text }

    /// The same as a member of a report.
    package var credentialReport: JSONValue? {
        JSONValue(signer) {
            .object([
                "name": JSONValue($0.name, JSONValue.string),
                "organization": JSONValue($0.organization, JSONValue.string),
                "issuer": JSONValue($0.issuer, JSONValue.string), "verified": .bool(false),
            ])
        }
    }

    /// The item of a HEIF that the page shows, and the primary one; nil for other formats, for files of one picture, and for
    /// frames.
    package var pictureItem: (shown: Int, primary: Int)? {
        guard format == .heif, pages > 1, !isAnimated, let items = HEIFItems(FileBytes(opened)),
            let primary = items.primary, items.pictures.indices.contains(page)
        else { return nil }
        return (items.pictures[page].id, primary)
    }
}
