#if CommandLine
import Basics
import Renders
import Synchronization
import ViewportGeometry
import ViewportRendering

/// The notes on pictures that are shown while they are made; of a kind that many files have, the first one and a count.
final class PictureNotes: Sendable {
    /// Whether there is no other file that a note could be of.
    private let isOnly: Bool
    /// How many more files have a note, by its kind.
    private let others = Mutex<[String: Int]>([:])

    init(isOnly: Bool) { self.isOnly = isOnly }

    /// Shows the notes on the pictures of a file, each once.
    func show(_ notes: [MadePicture.Note], of file: String) {
        var shown: Set<MadePicture.Note> = []
        for note in notes where shown.insert(note).inserted && (note.isLoss || !StandardError.isQuiet) {
            let isFirst = others.withLock { others in
                others[note.kind, default: -1] += 1
                return others[note.kind] == 0
            }
            guard isFirst else { continue }
            let name = note.namesFile || !isOnly ? "\(file): " : ""
            StandardError.write("viewport: \(name)\(note.sentence)\n")
        }
    }

    /// Shows how many other files have the notes that were shown.
    func finish() {
        for (kind, count) in others.withLock(\.self).sorted(by: { $0.key < $1.key }) where count > 0 {
            StandardError.write(
                "viewport: \(kind), also of \(count) other \(count == 1 ? "file" : "files")\n")
        }
    }
}

extension MadePicture.Note {
    /// The sentence for users, without the file.
    var sentence: String {
        switch self {
        case .leftOut(let blocks, let format):
            return "its \(blocks.joined(separator: ", ")) cannot be kept in \(format.rawValue)"
        case .credentials:
            return "its content credentials (C2PA) are left out: they are signed for its own bytes"
        case .gainMap(let reason): return "its HDR gain map is left out: \(reason)"
        case .widened(let rect): return "widened to the blocks of the JPEG: \(Self.text(rect))"
        case .showsMore(let rect):
            return "shows \(Self.text(rect)), more than --rect, to fill --size; "
                + "add --crop to show only the rectangle"
        case .oneFrame(let frame, let count): return "has only frame \(frame) of \(count), the first being 0"
        case .damaged(let damage): return damage
        }
    }

    /// What notes on several files have in common.
    fileprivate var kind: String {
        switch self {
        case .leftOut, .credentials: sentence.replacing("its ", with: "", maxReplacements: 1)
        case .gainMap: "HDR gain map is left out"
        case .widened: "widened to the blocks of the JPEG"
        case .showsMore: "shows more than --rect, to fill --size"
        case .oneFrame: "one frame of an animation"
        case .damaged: "damaged"
        }
    }

    /// Whether something is lost, which `--quiet` does not suppress.
    fileprivate var isLoss: Bool {
        switch self {
        case .leftOut, .credentials, .gainMap, .widened: true
        case .showsMore, .oneFrame, .damaged: false
        }
    }

    /// Whether the sentence needs the file, also where there is only one.
    fileprivate var namesFile: Bool {
        switch self {
        case .leftOut, .credentials, .gainMap, .oneFrame, .damaged: true
        case .widened, .showsMore: false
        }
    }

    /// Whether it is on the view, which the report of one file has in members of its own.
    var isOfView: Bool {
        switch self {
        case .showsMore, .widened: true
        case .leftOut, .credentials, .gainMap, .oneFrame, .damaged: false
        }
    }

    private static func text(_ rect: Rect<ImageSpace>) -> String {
        [rect.minX, rect.minY, rect.width, rect.height].map { String(Int($0.rounded())) }
            .joined(separator: ",")
    }
}

extension [MadePicture.Note] {
    /// The sentences, each once; nil without any.
    var json: JSONValue? {
        var sentences: [String] = []
        for note in self where !sentences.contains(note.sentence) { sentences.append(note.sentence) }
        return sentences.isEmpty ? nil : .array(sentences.map(JSONValue.string))
    }
}
#endif
