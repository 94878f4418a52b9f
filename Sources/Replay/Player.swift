public import ScrollModel
public import ViewportGeometry

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Plays a gesture script, line by line: JSON in, what it caused as JSON out.
///
/// The player has no clock of its own: time is what the script says. It may be asked for the states that a
/// film of the script shows, at any number of frames per second; these do not change what the script does.
public struct Player {
    /// The scroll view that the script plays on; nil before the setup.
    public private(set) var view: ScrollView?
    /// The lines that have been read.
    public private(set) var lineCount = 0

    private let image: Size<ImageSpace>?
    private let framesPerSecond: Double?
    private var frameCount = 0
    private let decoder = JSONDecoder()

    /// A player; `image` is the view size, in upright pixels, of a setup that names none.
    ///
    /// Without `framesPerSecond`, or with one that is not positive and finite, no frames are made.
    public init(image: Size<ImageSpace>? = nil, framesPerSecond: Double? = nil) {
        self.image = image
        self.framesPerSecond = framesPerSecond.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
    }

    /// Plays one line and returns the line that answers it, without its end; nil for an empty line.
    ///
    /// `frame` is called with the state at each frame's time that the line lets pass. A line that is wrong
    /// throws ``ReplayError`` and changes nothing; what `frame` throws comes through.
    public mutating func play(
        _ line: String, frame: (ScrollView, _ index: Int) throws -> Void = { _, _ in }
    ) throws -> String? {
        lineCount += 1
        guard line.utf8.contains(where: { $0 != 32 && $0 != 9 && $0 != 13 && $0 != 10 }) else { return nil }
        let parsed = try parse(line)
        var report = ReplayWriter()
        var events: [ScrollEvent] = []
        guard var view else {
            guard case .setup(let setup) = parsed.action else {
                throw error("the first line must be {\"setup\":{…}}")
            }
            var view = try naming { () throws(MalformedLine) in try setup.view(over: image) }
            if let time = parsed.time { view.advance(to: time) }
            self.view = view
            report.write(line: lineCount, view: view, events: []) { $0.write(raw: "null") }
            return report.text
        }
        if let time = parsed.time {
            guard time >= view.time else {
                throw error("time does not go back: \"t\" is \(time), and it is \(view.time) already")
            }
            try film(view, until: time, frame)
            events += view.advance(to: time)
        }
        guard let action = parsed.action else {
            self.view = view
            report.write(line: lineCount, view: view, events: events) { $0.write(raw: "null") }
            return report.text
        }
        if case .setup = action { throw error("a script has one setup, in its first line") }
        if case .advance(let seconds) = action { try film(view, until: view.time + seconds, frame) }
        events += action.perform(on: &view)
        self.view = view
        report.write(line: lineCount, view: view, events: events) { action.writeResult(of: view, to: &$0) }
        return report.text
    }

    /// Calls `frame` with the last state: a film ends with what the script ended with.
    ///
    /// Without a setup, or without frames per second, it does nothing.
    public mutating func finish(frame: (ScrollView, _ index: Int) throws -> Void) throws {
        guard let view, framesPerSecond != nil else { return }
        try frame(view, frameCount)
        frameCount += 1
    }

    /// Calls `frame` for each frame before `time`; one at `time` shows what happens then, so it comes later.
    private mutating func film(
        _ view: ScrollView, until time: Double, _ frame: (ScrollView, Int) throws -> Void
    ) throws {
        guard let framesPerSecond else { return }
        var there = view
        while Double(frameCount) / framesPerSecond < time {
            there.advance(to: Double(frameCount) / framesPerSecond)
            try frame(there, frameCount)
            frameCount += 1
        }
    }
}

extension Player {
    private func parse(_ line: String) throws -> ScriptLine {
        do {
            return try decoder.decode(ScriptLine.self, from: Data(line.utf8))
        } catch let problem as MalformedLine {
            throw error(problem.reason)
        } catch let problem as DecodingError {
            throw error(Self.reason(problem))
        }
    }

    private func naming<Value>(_ work: () throws(MalformedLine) -> Value) throws -> Value {
        do { return try work() } catch { throw self.error(error.reason) }
    }

    private func error(_ reason: String) -> ReplayError { ReplayError(line: lineCount, reason: reason) }

    /// What is wrong with a line, in words that name the place in it.
    private static func reason(_ problem: DecodingError) -> String {
        func location(_ context: DecodingError.Context) -> String {
            let path = context.codingPath.map { key in
                key.intValue.map { "[\($0)]" } ?? "\"\(key.stringValue)\""
            }
            return path.isEmpty ? "the line" : path.joined(separator: " ")
        }
        switch problem {
        case .typeMismatch(_, let context): return "\(location(context)) is not what it must be"
        case .valueNotFound(_, let context): return "\(location(context)) is too short, or null"
        case .keyNotFound(let key, _): return "\"\(key.stringValue)\" is missing"
        case .dataCorrupted(let context):
            guard !context.codingPath.isEmpty else { return "not a JSON object" }
            return "\(location(context)): \(context.debugDescription)"
        @unknown default: return "not understood"
        }
    }
}

/// A line of a script that the player does not understand.
public struct ReplayError: Error, Equatable, Sendable {
    /// The number of the line, from 1.
    public let line: Int
    /// What is wrong with it, and what would be right.
    public let reason: String

    /// An error of a line, counted from 1.
    public init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }
}

extension ReplayError: LocalizedError, CustomStringConvertible {
    /// The line and what is wrong with it, as one sentence.
    public var description: String { "line \(line): \(reason)" }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}

/// What is wrong with a line, before its number is known.
struct MalformedLine: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
