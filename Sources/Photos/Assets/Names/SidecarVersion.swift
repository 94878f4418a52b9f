package import Files

/// The names of darktable's sidecars of further versions of a photo: "a_01.jpg.xmp" of "a.jpg", unless "a_01.jpg" is there.
package enum SidecarVersion {
    /// Returns the photo that a sidecar can be a version of, and its number.
    package static func owner(of sidecar: FilePath) -> (photo: FilePath, number: Int)? {
        let photo = sidecar.withoutExtension
        let base = photo.withoutExtension.text
        guard FileExtension.of(sidecar) == "xmp", photo.fileExtension != nil,
            let mark = base.lastIndex(of: "_"), mark > base.startIndex
        else { return nil }
        let digits = base[base.index(after: mark)...]
        guard (2...3).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(digits), number > 0
        else { return nil }
        return (FilePath(String(base[..<mark])).adding(photo.ending), number)
    }

    /// Returns the name of a version without the extension of sidecars: "a_01.jpg".
    package static func name(_ number: Int, of photo: FilePath) -> FilePath {
        photo.withoutExtension.adding("_\(number < 10 ? "0" : "")\(number)").adding(photo.ending)
    }

    /// Returns the versions that lie beside a photo, the lowest first; names are tried.
    ///
    /// - Parameter numbers: the numbers to try.
    package static func sidecars(of photo: FilePath, _ numbers: ClosedRange<Int>, in folder: String)
        -> [FilePath]
    {
        numbers.compactMap { number in
            let name = name(number, of: photo)
            let sidecar = name.adding(".xmp")
            guard FileStatus("\(folder)/\(sidecar.text)") != nil, FileStatus("\(folder)/\(name.text)") == nil
            else { return nil }
            return sidecar
        }
    }
}
