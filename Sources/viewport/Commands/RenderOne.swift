#if CommandLine
import ArgumentParser
import Basics
import Files
import MemoryWatching
import RemoteFiles
import Renders
import ViewportGeometry
import ViewportRendering

/// `viewport render` of one file: a picture, or the six faces of a cube.
extension RenderCommand {
    func renderOne() async throws {
        let clock = ContinuousClock()
        let start = clock.now
        let format = try resolvedFormats[0]
        let outputs = try paths.map { path in
            PictureOutput(
                path, format, inputs: [image], overwrites: picture.overwriting.overwrite,
                isMarked: iiif == nil)
        }
        for output in outputs { try output.check() }
        // AVIF is written by a plug-in.
        if format != .avif, !opening.allowUntrusted {
            ViewportRuntime.leaveOutPlugins(unlessNeededFor: try PipedInput.path(image))
        }
        var report = try await OnceMore.run(image) { try await render(to: outputs) }
        report.total = clock.now - start
        report.showNotes()
        if json {
            outputs[0].report(report.json(of: self))
        } else if outputs.count == 1, iiif == nil, picture.output != outputs[0].path,
            !outputs[0].isStandardOutput
        {
            try StandardOutput.write(path: outputs[0].path)
        }
    }

    /// The paths of the outputs.
    private var paths: [String] {
        get throws {
            guard looking.faces, let folder = picture.output else {
                let name = try name
                try OutputName.makeFolder(picture.output)
                return [name]
            }
            try OutputName.makeFolder(folder)
            let ending = try resolvedFormats[0].rawValue
            return CubeFace.allCases.map { face in
                FilePath(folder).appending(FilePath("\(face.rawValue).\(ending)")).text
            }
        }
    }

    private var name: String {
        get throws {
            guard iiif != nil else { return try picture.name(for: image).path }
            return try OutputName(
                picture.output ?? (PipedInput.isPiped(image) ? "-" : nil),
                asked: (resolvedFormats[0], "--iiif"),
                default: "\(OutputName.stem(of: image)).viewport"
            ).path
        }
    }

    /// Opens the image, and makes and writes a picture for each output.
    private func render(to outputs: [PictureOutput]) async throws -> PictureReport {
        let clock = ContinuousClock()
        let start = clock.now
        let source = try await open()
        var report = PictureReport(of: source.file, opened: clock.now - start)
        let title = outputs.count > 1 ? "rendering six faces of" : "reading"
        let line = ProgressLine("\(title) \(RemoteAddress.shown(image))")
        defer { line.clear() }
        // Pictures that share no decode are made one at a time, so that one of them is in memory.
        for (number, (one, output)) in try zip(job.ofOneRequest, outputs).enumerated() {
            let made = try pictures(of: one, from: source) {
                #if os(Linux)
                // The C library keeps what reading has freed for other threads than those that encode.
                Heap.trim()
                #endif
                if outputs.count == 1 { line.clear() }
            } progress: { progress in
                if outputs.count == 1 { line.show(progress) }
            }[0]
            try output.write(made.bytes)
            report.add(made, output.path)
            if outputs.count > 1 { line.show(Double(number + 1) / Double(outputs.count)) }
        }
        try storeNewIndex(of: source)
        return report
    }
}
#endif
