internal import Basics
internal import Digests
package import Foundation

/// A link that shows an album or chosen assets to whoever has it, and nothing else of the library.
package struct Share: Identifiable, Equatable, Sendable {
    /// What a share shows.
    package enum Content: Equatable, Sendable {
        /// The assets that an album has when it is looked at.
        case album(AssetGroup.ID)
        /// These assets.
        case assets([Asset.ID])
    }

    package let id: Int64
    package let title: String
    /// When it was made, in whole seconds.
    package let created: Date
    /// When it ends, in whole seconds.
    package let expires: Date
    /// Whether the files can be downloaded as they are, with their metadata.
    package let includesOriginals: Bool
    /// The number of assets.
    package let count: Int
    private let secret: [UInt8]

    /// The name in the link, which nobody can guess: the number, and its signature together with the end.
    package var token: String { "\(id)-\(Self.signature(id, expires, secret))" }

    /// 160 bits of an HMAC with SHA-256.
    private static func signature(_ id: Int64, _ expires: Date, _ secret: [UInt8]) -> String {
        let message = "viewport share 1 \(id) \(Int(expires.timeIntervalSince1970))"
        return SHA256.authenticationCode(of: Array(message.utf8), key: secret).hexadecimal(first: 20)
    }

    package init(
        id: Int64, title: String, created: Date, expires: Date, includesOriginals: Bool, count: Int,
        secret: [UInt8]
    ) {
        (self.id, self.title, self.created, self.expires) = (id, title, created, expires)
        (self.includesOriginals, self.count, self.secret) = (includesOriginals, count, secret)
    }
}
