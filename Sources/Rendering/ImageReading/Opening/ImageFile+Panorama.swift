internal import Containers
public import ImageMetadata

extension ImageFile {
    /// What the file states about the panorama that it shows; nil where it states none.
    ///
    /// Reads the metadata of the file again.
    public var panoramaTags: PanoramaTags? {
        FileMetadata(FileBytes(opened), name: path)?.panorama
    }
}
