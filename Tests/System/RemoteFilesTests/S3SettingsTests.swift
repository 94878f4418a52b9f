import Testing

@testable import RemoteFiles

@Suite("Settings of object stores")
struct S3SettingsTests {
    private static let files = [
        "/home/me/.aws/credentials": """
        [default]
        aws_access_key_id = A
        aws_secret_access_key = B=
        [work]
        aws_access_key_id=C
        aws_secret_access_key=D
        aws_session_token=E
        """,
        "/home/me/.aws/config": """
        # A comment.
        [default]
        region = eu-west-1
        [profile work]
        region = eu-north-1
        services = local
        [services local]
        s3 =
          endpoint_url = http://127.0.0.1:9000/
        """,
    ]

    private static func settings(_ variables: [String: String] = [:]) -> S3Settings {
        S3Settings {
            variables[$0] ?? ($0 == "HOME" ? "/home/me" : nil)
        } file: {
            files[$0]
        }
    }

    @Test("come from the default profile, and the bucket is part of the host")
    func defaultProfile() {
        let place = Self.settings().location(bucket: "photos", key: "a b/ä+.jpg")
        #expect(place.url == "https://photos.s3.eu-west-1.amazonaws.com/a%20b/%C3%A4%2B.jpg")
        #expect(place.signing == S3Signing(region: "eu-west-1", key: "A", secret: "B=", session: nil))
    }

    @Test("come from a named profile with its endpoint")
    func profile() {
        let place = Self.settings(["AWS_PROFILE": "work"]).location(bucket: "photos", key: "a.jpg")
        #expect(place.url == "http://127.0.0.1:9000/photos/a.jpg")
        #expect(place.signing == S3Signing(region: "eu-north-1", key: "C", secret: "D", session: "E"))
    }

    @Test("come from the environment first")
    func environment() {
        let place = Self.settings([
            "AWS_ACCESS_KEY_ID": "X", "AWS_SECRET_ACCESS_KEY": "Y", "AWS_DEFAULT_REGION": "us-west-2",
        ]).location(bucket: "my.photos", key: "a.jpg")
        #expect(place.url == "https://s3.us-west-2.amazonaws.com/my.photos/a.jpg")
        #expect(place.signing == S3Signing(region: "us-west-2", key: "X", secret: "Y", session: nil))
    }

    @Test("may leave requests unsigned")
    func unsigned() {
        let place = Self.settings(["AWS_NO_SIGN_REQUEST": "YES"]).location(bucket: "photos", key: "a.jpg")
        #expect(place.signing == nil)
    }
}
