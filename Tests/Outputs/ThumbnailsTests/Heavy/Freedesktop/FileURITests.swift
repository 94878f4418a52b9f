import Testing

@testable import Thumbnails

@Suite("The URI of a file in the desktop's cache")
struct FileURITests {
    @Test("equals that of GLib")
    func uri() {
        #expect(FileURI.of("/home/jens/photos/me.png") == "file:///home/jens/photos/me.png")
        #expect(FileURI.of("/é ü%") == "file:///%C3%A9%20%C3%BC%25")
        #expect(
            FileURI.of("/!\"#$%&'()*+,-.0:;<=>?@Az[\\]^_`{|}~\u{7F}")
                == "file:///!%22%23$%25&'()*+,-.0:%3B%3C=%3E%3F@Az%5B%5C%5D%5E_%60%7B%7C%7D~%7F")
    }

    @Test("gives the name by its MD5")
    func name() {
        #expect(
            FreedesktopStore.name(of: "file:///home/jens/photos/me.png")
                == "c6ee772d9e49320e97ec29a7eb5b1697.png")
    }
}
