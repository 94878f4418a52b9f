public import ScrollModel
public import ViewportGeometry

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Plays a gesture script line by line: an action as JSON in, the state and events as JSON out.
///
/// The player has no clock; the script provides the time. On request it also provides the states of a film of
/// the script, at any frame rate, without changing the result of the script.
public struct Player {
    /// The scroll view that the script plays on; nil before the setup.
    ///
    /// Programs may change it between lines.
    public var view: ScrollView?
    /// The number of lines read so far, which is the number of the last one in errors.
    public private(set) var lineCount = 0

    /// The events that the last line caused, in order.
    public private(set) var events: [ScrollEvent] = []

    private let image: Size<ImageSpace>?
    private let framesPerSecond: Double?
    private var frameCount = 0
    private let decoder = JSONDecoder()

    /// Creates a player.
    ///
    /// `image` is the view size, in upright pixels, if the setup has none.
    ///
    /// Without a positive, finite `framesPerSecond` the player makes no frames.
    public init(image: Size<ImageSpace>? = nil, framesPerSecond: Double? = nil) {
        self.image = image
        self.framesPerSecond = framesPerSecond.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
    }

    /// Creates a player of scripts without a setup, which start with the state of a scroll view.
    ///
    /// The first frame has the time of the scroll view.
    public init(view: ScrollView, framesPerSecond: Double? = nil) {
        self.init(image: view.viewSize, framesPerSecond: framesPerSecond)
        self.view = view
        frameCount = Int((view.time * (self.framesPerSecond ?? 0)).rounded(.up))
    }

    /// Plays one line and returns its result as a line of JSON without a newline, or nil for an empty line.
    ///
    /// `frame` is called with the state at the time of each frame that the line passes. An invalid line
    /// throws ``ReplayError`` and has no effect. Errors of `frame` are rethrown.
    public mutating func play(
        _ line: String, frame: (ScrollView, _ index: Int) throws -> Void = { _, _ in }
    ) throws -> String? {
        lineCount += 1
        self.events = []
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
                throw error("time does not go back: \"t\" is \(time), the current time is \(view.time)")
            }
            try film(view, until: time, frame)
            events += view.advance(to: time)
        }
        guard let action = parsed.action else {
            (self.view, self.events) = (view, events)
            report.write(line: lineCount, view: view, events: events) { $0.write(raw: "null") }
            return report.text
        }
        if case .setup = action { throw error("a script has one setup, in its first line") }
        if case .advance(let seconds) = action { try film(view, until: view.time + seconds, frame) }
        events += action.perform(on: &view)
        (self.view, self.events) = (view, events)
        report.write(line: lineCount, view: view, events: events) { action.writeResult(of: view, to: &$0) }
        return report.text
    }

    /// Calls `frame` with the final state, so that a film ends with it.
    ///
    /// Without a setup or a frame rate it has no effect.
    public mutating func finish(frame: (ScrollView, _ index: Int) throws -> Void) throws {
        guard let view, framesPerSecond != nil else { return }
        try frame(view, frameCount)
        frameCount += 1
    }

    /// Calls `frame` for each frame before `time`.
    ///
    /// A frame at `time` follows after the action at that time.
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

    /// Returns a description of the problem that names its location in the line.
    private static func reason(_ problem: DecodingError) -> String {
        func location(_ context: DecodingError.Context) -> String {
            let path = context.codingPath.map { key in
                key.intValue.map { "[\($0)]" } ?? "\"\(key.stringValue)\""
            }
            return path.isEmpty ? "the line" : path.joined(separator: " ")
        }
        switch problem {
        case .typeMismatch(_, let context): return "\(location(context)) has the wrong type"
        case .valueNotFound(_, let context): return "\(location(context)) is too short, or null"
        case .keyNotFound(let key, _): return "\"\(key.stringValue)\" is missing"
        case .dataCorrupted(let context):
            guard !context.codingPath.isEmpty else { return "not a JSON object" }
            return "\(location(context)): \(context.debugDescription)"
        @unknown default: return "invalid line"
        }
    }
}

/// An invalid line of a script.
public struct ReplayError: Error, Equatable, Sendable {
    /// The number of the line, from 1.
    public let line: Int
    /// The problem and what is expected instead.
    public let reason: String

    /// Creates an error of a line, counted from 1.
    public init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }
}

extension ReplayError: LocalizedError, CustomStringConvertible {
    /// The line number and the problem.
    public var description: String { "line \(line): \(reason)" }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}

/// A problem in a line, without its number.
struct MalformedLine: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
