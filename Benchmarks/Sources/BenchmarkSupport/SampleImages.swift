#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The images that `Benchmarks/peers/run` makes.
public enum SampleImages {
    /// The path of the image with that many megapixels; traps if it does not exist.
    public static func path(megapixels: Int) -> String {
        let path = folder + "images/\(megapixels).jpg"
        guard access(path, R_OK) == 0 else {
            fatalError("make the images first: Benchmarks/peers/run --sizes 12,300 --only start")
        }
        return path
    }

    /// The path of a file that is made once.
    public static func made(_ name: String, by make: (String) -> Bool) -> String {
        let path = folder + name
        guard access(path, R_OK) != 0 else { return path }
        guard make(path + ".part.tif"), rename(path + ".part.tif", path) == 0 else {
            fatalError("\(path): cannot be made")
        }
        return path
    }

    /// The bytes of a file.
    public static func bytes(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        fseek(file, 0, SEEK_END)
        let size = ftell(file)
        rewind(file)
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = fread(buffer.baseAddress, 1, size, file)
        }
    }

    private static var folder: String {
        // Benchmarks/Sources/BenchmarkSupport/SampleImages.swift
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        return "/" + root + "/.build/peers/"
    }
}
