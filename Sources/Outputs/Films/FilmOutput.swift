internal import Containers
package import Files
internal import PictureEncoding
internal import ViewportGeometry

/// Where a film goes, and what it may replace.
package struct FilmOutput {
    package var path: String
    /// The files that are read, "-" for standard input.
    package var inputs: [String]
    package var overwrites: Bool
    /// The numbers of the frames to write; nil if their number is not known.
    package var frames: Range<Int>?
    /// Receives the bytes of a film that is no file.
    package var stream: ([UInt8]) throws -> Void

    package init(
        path: String, inputs: [String], overwrites: Bool, frames: Range<Int>? = nil,
        stream: @escaping ([UInt8]) throws -> Void
    ) {
        self.path = path
        self.inputs = inputs
        self.overwrites = overwrites
        self.frames = frames
        self.stream = stream
    }

    /// Returns the output of a file.
    func file(_ path: String, _ kind: OutputKind) -> MarkedOutput {
        MarkedOutput(path, kind, inputs: inputs, overwrites: overwrites)
    }
}

/// Frames as PNG files in a folder, named by their numbers.
package struct FrameFolder {
    private let output: FilmOutput
    package let path: String
    /// Whether the folder was missing.
    private let isNew: Bool

    /// Creates the folder if it is missing.
    package init(_ output: FilmOutput) throws(OutputError) {
        self.output = output
        let path = output.path
        let folder = path.hasSuffix("/") && path != "/" ? String(path.dropLast()) : path
        self.path = folder
        isNew = FileStatus(folder) == nil
        try OutputError.naming(folder) { () throws(FileError) in try OutputFile.makeFolder(folder) }
    }

    /// The numbers of the frames in the folder.
    package var numbers: [Int] {
        Folder.names(in: path).compactMap { name in
            guard name.hasPrefix("frame-"), name.hasSuffix(".png") else { return nil }
            let number = Int(name.dropFirst(6).dropLast(4))
            return number.flatMap { Self.name($0) == name ? $0 : nil }
        }.sorted()
    }

    /// "frame-00042.png".
    private static func name(_ number: Int) -> String {
        let digits = String(number)
        return "frame-" + String(repeating: "0", count: max(0, 5 - digits.count)) + digits + ".png"
    }

    package func path(of number: Int) -> String { "\(path)/\(Self.name(number))" }

    /// Checks that a frame may be written.
    func check(_ number: Int) throws(OutputError) {
        let path = path(of: number)
        try OutputError.naming(path) { () throws(FileError) in try output.file(path, .png).check() }
    }

    func write(_ png: [UInt8], _ number: Int) throws(OutputError) {
        let file = path(of: number)
        do {
            try OutputError.naming(file) { () throws(FileError) in try output.file(file, .png).write(png) }
        } catch {
            // Removed only if empty.
            if isNew { Folder.removeEmpty(path) }
            throw error
        }
    }

    /// Returns the frames of a share that an earlier run finished.
    ///
    /// - Parameters:
    ///   - png: renders a frame, for a comparison of a few.
    /// - Throws: `FilmError` if frames are those of another path, size or image.
    package func kept(
        of share: Range<Int>, png: (_ number: Int) throws -> [UInt8]
    ) throws -> Set<Int> {
        let kept = numbers.filter { share.contains($0) && FileMark.isOn(path(of: $0), .png) }
        for index in Set([0, kept.count / 2, kept.count - 1]).sorted() where kept.indices.contains(index) {
            let number = kept[index]
            let expected = FileMark.added(to: try png(number), .png)
            guard (try? InputFile.contents(path(of: number))) == expected else {
                throw FilmError.otherFilm(frame: path(of: number))
            }
        }
        return Set(kept)
    }

    /// Throws if the folder has frames after the end of a film.
    package func checkEnd(ofFrames count: Int) throws(FilmError) {
        guard let last = numbers.last, last >= count else { return }
        throw .longer(folder: path, frame: path(of: last), count: count)
    }
}

extension Film {
    /// Writes frames in order.
    final class Writer {
        private enum Destination {
            case folder(FrameFolder)
            case animation(AnimationEncoder, MarkedOutput)
            case video(VideoWriter)
            case stream(FrameRate, size: PixelSize<OutputGrid>?, write: ([UInt8]) throws -> Void)
        }

        private var destination: Destination

        /// - Throws: `OutputError` or `FilmError` if the film could not be written later.
        init(
            _ form: Form, _ output: FilmOutput, _ frameRate: FrameRate, _ compression: PNGCompression
        ) throws {
            switch form {
            case .folder:
                let folder = try FrameFolder(output)
                // Checking reads the file: other shares may have written many.
                for number in folder.numbers where output.frames?.contains(number) ?? true {
                    try folder.check(number)
                }
                destination = .folder(folder)
            case .animation(let format):
                let kind: OutputKind =
                    switch format {
                    case .webp: .webp
                    case .gif: .gif
                    case .apng: .png
                    }
                let file = output.file(output.path, kind)
                try OutputError.naming(file.path) { () throws(FileError) in try file.check() }
                var encoder = AnimationEncoder(format, framesPerSecond: frameRate.value)
                encoder.compression = compression
                destination = .animation(encoder, file)
            case .video(let container):
                let file = output.file(output.path, container.kind)
                try OutputError.naming(file.path) { () throws(FileError) in try file.check() }
                destination = .video(try VideoWriter(file, container, frameRate))
            case .stream:
                destination = .stream(frameRate, size: nil, write: output.stream)
            }
        }

        func write(_ frame: Frame, _ number: Int) throws {
            switch (destination, frame.content) {
            case (.folder(let folder), .bytes(let png)):
                try folder.write(png, number)
            case (.animation(var encoder, let file), .picture(let picture)):
                try encoder.appendSynchronously(picture)
                destination = .animation(encoder, file)
            case (.video(let video), .bytes(let rgba)):
                try video.append(rgba, frame.size)
            case (.stream(let rate, let size, let write), .bytes(let planes)):
                let header = size == nil ? RawVideo.header(frame.size, rate) : []
                destination = .stream(rate, size: frame.size, write: write)
                try write(header)
                try write(planes)
            default:
                preconditionFailure("frames are made for their destination")
            }
        }

        /// Writes the animation or finishes the video.
        func finish() throws {
            switch destination {
            case .animation(let encoder, let file):
                let bytes = try encoder.finishedSynchronously()
                try OutputError.naming(file.path) { () throws(FileError) in try file.write(bytes) }
            case .video(let video): try video.finish()
            case .folder, .stream: break
            }
        }
    }
}
