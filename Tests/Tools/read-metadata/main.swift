// Prints the metadata that a library stores, one line of JSON per file:
// `VIEWPORT_TESTS=all swift run -c release read-metadata photo.jpg …`.
//
// With `--seconds N`, reads the files repeatedly for N seconds and prints the number of files per second.
import Containers
import Files
import ImageMetadata

var paths = Array(CommandLine.arguments.dropFirst())
var seconds: Double?
if paths.first == "--seconds", paths.count > 1 {
    seconds = Double(paths[1])
    paths.removeFirst(2)
}

func read(_ path: String) -> FileMetadata? {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return (try? InputFile.read(path) { FileMetadata(FileBytes($0), name: name) }) ?? nil
}

if let seconds {
    let clock = ContinuousClock()
    let start = clock.now
    var count = 0
    repeat {
        for path in paths where read(path) != nil { count += 1 }
    } while clock.now - start < .seconds(seconds)
    let time = (clock.now - start) / .seconds(1)
    print("\(Int(Double(count) / time)) files a second")
} else {
    for path in paths { print(MetadataLine(path: path, read(path))) }
}
