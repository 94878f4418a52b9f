internal import Containers
internal import Files

extension ImageFile {
    /// Whether the file has content credentials (C2PA), which are signed for its bytes; they are not verified.
    package var hasContentCredentials: Bool {
        // A remote file is not read further for them.
        !opened.isRemote && (try? ContentCredentials.areIn(FileBytes(opened))) == true
    }
}
