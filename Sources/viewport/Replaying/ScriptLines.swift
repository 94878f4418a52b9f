import Files
import ViewportRendering

/// The lines of a script, one at a time.
final class ScriptLines {
    private let isStandardInput: Bool
    private var rest: ArraySlice<UInt8>

    /// - Throws: `RenderingError` where the script cannot be read.
    init(_ path: String) throws(RenderingError) {
        isStandardInput = path == "-"
        do throws(FileError) {
            rest = isStandardInput ? [] : try InputFile.contents(path)[...]
        } catch {
            throw RenderingError(error, file: path)
        }
    }

    func next() -> String? {
        if isStandardInput { return readLine() }
        guard !rest.isEmpty else { return nil }
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        rest = rest.dropFirst(line.count + 1)
        return String(decoding: line, as: UTF8.self)
    }
}
