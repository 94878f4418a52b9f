internal import Basics
internal import Files

/// How requests to an object store are signed.
struct S3Signing: Hashable, Sendable {
    var region: String
    var key: String
    var secret: String
    /// The token of temporary credentials.
    var session: String?
}

/// Region, endpoint and credentials of S3, from the environment and the configuration files of AWS' tools.
///
/// Source: AWS SDKs and Tools Reference Guide, "Settings reference".
struct S3Settings: Sendable {
    private var region: String
    private var endpoint: String?
    private var credentials: (key: String, secret: String, session: String?)?

    static let shared = S3Settings {
        ProcessEnvironment.variable($0)
    } file: { path in
        (try? InputFile.contents(path)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// - Parameters:
    ///   - variable: Returns an environment variable.
    ///   - file: Returns the text of a file.
    init(variable: (String) -> String?, file: (String) -> String?) {
        let folder = "\(variable("HOME") ?? "")/.aws"
        let profile = variable("AWS_PROFILE") ?? variable("AWS_DEFAULT_PROFILE") ?? "default"
        let shared = file(variable("AWS_SHARED_CREDENTIALS_FILE") ?? "\(folder)/credentials")
        let config = file(variable("AWS_CONFIG_FILE") ?? "\(folder)/config")
        let name = profile == "default" ? profile : "profile \(profile)"
        let stored = Self.section(profile, of: shared ?? "")
        let general = Self.section(name, of: config ?? "")
        let services = general["services"].map { Self.section("services \($0)", of: config ?? "") } ?? [:]
        func stated(_ key: String) -> String? { stored[key] ?? general[key] }
        region =
            variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION") ?? stated("region") ?? "us-east-1"
        endpoint =
            variable("AWS_ENDPOINT_URL_S3") ?? variable("AWS_ENDPOINT_URL") ?? services["s3.endpoint_url"]
            ?? stated("endpoint_url")
        while endpoint?.hasSuffix("/") == true { endpoint?.removeLast() }
        guard variable("AWS_NO_SIGN_REQUEST") == nil else { return }
        // A profile that is named wins over keys without a profile, as in the AWS command line.
        let hasProfile = variable("AWS_PROFILE") != nil && stated("aws_access_key_id") != nil
        if !hasProfile, let key = variable("AWS_ACCESS_KEY_ID"),
            let secret = variable("AWS_SECRET_ACCESS_KEY")
        {
            credentials = (key, secret, variable("AWS_SESSION_TOKEN"))
        } else if let key = stated("aws_access_key_id"), let secret = stated("aws_secret_access_key") {
            credentials = (key, secret, stated("aws_session_token"))
        }
    }

    /// Returns the URL of an object, and how requests of it are signed: nil without credentials, for public objects.
    func location(bucket: String, key: String) -> (url: String, endpoint: String, signing: S3Signing?) {
        let path = PercentCoding.encode(key, keepsSlashes: true)
        let signing = credentials.map {
            S3Signing(region: region, key: $0.key, secret: $0.secret, session: $0.session)
        }
        if let endpoint { return ("\(endpoint)/\(bucket)/\(path)", endpoint, signing) }
        let host = "s3.\(region).amazonaws.com"
        // Certificates cover one label in front of the host.
        return bucket.contains(".")
            ? ("https://\(host)/\(bucket)/\(path)", host, signing)
            : ("https://\(bucket).\(host)/\(path)", host, signing)
    }

    /// Returns the settings of a section; those below an indented key as "key.name".
    private static func section(_ name: String, of text: String) -> [String: String] {
        var settings: [String: String] = [:]
        var isInside = false
        var parent = ""
        for line in text.split(whereSeparator: \.isNewline) {
            let content = line.trimmed()
            guard !content.isEmpty, !content.hasPrefix("#"), !content.hasPrefix(";") else { continue }
            if content.hasPrefix("["), let end = content.firstIndex(of: "]") {
                let title = content[content.index(after: content.startIndex)..<end]
                isInside = title.split(separator: " ").joined(separator: " ") == name
                continue
            }
            guard isInside, let equals = content.firstIndex(of: "=") else { continue }
            let key = content[..<equals].trimmed().lowercased()
            let value = String(content[content.index(after: equals)...].trimmed())
            let isNested = line.first == " " || line.first == "\t"
            if !isNested { parent = key }
            settings[isNested ? "\(parent).\(key)" : key] = value
        }
        return settings
    }
}
