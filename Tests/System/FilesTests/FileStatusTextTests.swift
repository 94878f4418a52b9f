import Files
import Testing

@Suite("The status of a file as text")
struct FileStatusTextTests {
    @Test("does not have the numbers by which the system knows the file")
    func numbers() {
        let status = FileStatus(size: 12, modified: 34, inode: 987_654_321, device: 123_456_789)
        var texts = ["\(status)", "\([status])", String(reflecting: status)]
        var dumped = ""
        dump(status, to: &dumped)
        texts.append(dumped)
        for text in texts {
            #expect(text.contains("12"))
            #expect(!text.contains("987654321"))
            #expect(!text.contains("123456789"))
        }
    }
}
