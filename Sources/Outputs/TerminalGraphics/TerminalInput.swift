/// Divides what comes from a terminal into keys and control sequences.
///
/// It survives anything: sequences that are cut off or too long are dropped, and control characters end them.
///
/// Source: ECMA-48, 5.4 and 5.6; XTerm Control Sequences.
package struct TerminalInput: Sendable {
    package enum Token: Hashable, Sendable {
        /// A character, or a byte of one.
        case byte(UInt8)
        /// The key Esc.
        case escape
        /// CSI: parameters and final character.
        case control(String, final: Character)
        /// SS3: a function key.
        case function(Character)
        /// DCS, OSC or APC, by their character "P", "]" or "_", with its text.
        case string(Character, String)
    }

    private enum State {
        case ground
        case escape
        case control([UInt8])
        case function
        case string(Character, [UInt8])
        /// The escape that may end a string.
        case stringEscape(Character, [UInt8])
    }

    private var state = State.ground

    /// The most bytes of a sequence; answers have fewer.
    private static let limit = 4096

    package init() {}

    /// Whether a sequence has begun and not ended, or the key Esc was pressed.
    package var isPartial: Bool {
        if case .ground = state { return false }
        return true
    }

    /// Takes bytes, and returns what is complete.
    package mutating func take(_ bytes: [UInt8]) -> [Token] { bytes.flatMap { take($0) } }

    /// Ends what has begun, because nothing came for a while: a lone escape is a key.
    package mutating func flush() -> [Token] {
        defer { state = .ground }
        if case .escape = state { return [.escape] }
        return []
    }

    private mutating func take(_ byte: UInt8) -> [Token] {
        switch state {
        case .ground:
            guard byte == 0x1B else { return [.byte(byte)] }
            state = .escape
            return []
        case .escape:
            return takeIntroducer(byte)
        case .control(let parameters):
            switch byte {
            case 0x20...0x3F where parameters.count < Self.limit:
                state = .control(parameters + [byte])
                return []
            case 0x40...0x7E:
                state = .ground
                return [.control(Self.text(parameters), final: Self.character(byte))]
            default: return abandon(byte)
            }
        case .function:
            guard byte >= 0x20, byte < 0x7F else { return abandon(byte) }
            state = .ground
            return [.function(Self.character(byte))]
        case .string(let kind, let text):
            switch byte {
            case 0x07:
                state = .ground
                return [.string(kind, Self.text(text))]
            case 0x1B: state = .stringEscape(kind, text)
            case 0x20... where text.count < Self.limit: state = .string(kind, text + [byte])
            default: return abandon(byte)
            }
            return []
        case .stringEscape(let kind, let text):
            guard byte == UInt8(ascii: "\\") else { return takeIntroducer(byte) }
            state = .ground
            return [.string(kind, Self.text(text))]
        }
    }

    private mutating func takeIntroducer(_ byte: UInt8) -> [Token] {
        switch byte {
        case UInt8(ascii: "["): state = .control([])
        case UInt8(ascii: "O"): state = .function
        case UInt8(ascii: "P"), UInt8(ascii: "]"), UInt8(ascii: "_"), UInt8(ascii: "^"), UInt8(ascii: "X"):
            state = .string(Self.character(byte), [])
        case 0x1B:
            state = .escape
            return [.escape]
        case 0..<0x20: return abandon(byte)
        // A key with Alt.
        default: state = .ground
        }
        return []
    }

    /// Drops the sequence that has begun; Ctrl-C works within any garbage.
    private mutating func abandon(_ byte: UInt8) -> [Token] {
        state = .ground
        return byte < 0x20 ? take(byte) : []
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func character(_ byte: UInt8) -> Character { Character(Unicode.Scalar(byte)) }
}

/// What a key of a viewer asks for.
package enum ViewerKey: Hashable, Sendable {
    case left, right, up, down
    case pageLeft, pageRight, pageUp, pageDown
    case top, bottom
    case zoomIn, zoomOut, fit, full
    case next, previous
    case quit, interrupt, suspend, redraw

    /// Returns the meaning of a token; nil for other keys and for answers.
    package init?(_ token: TerminalInput.Token) {
        switch token {
        case .escape: self = .quit
        case .byte(let byte):
            guard let key = Self.characters[byte] else { return nil }
            self = key
        case .function(let name):
            guard let key = Self.functions[name] else { return nil }
            self = key
        case .control("", let name):
            guard let key = Self.functions[name] ?? Self.shifted[name] else { return nil }
            self = key
        case .control(let parameters, "~"):
            let number = parameters.prefix { $0.isASCII && $0.isNumber }
            guard let key = Self.numbered[String(number)] else { return nil }
            self = key
        case .control(let parameters, let name):
            // "1;2" and a letter: a key with Shift, Alt or Ctrl.
            guard parameters.hasPrefix("1;"), let key = Self.functions[name] else { return nil }
            self = key.paged
        case .string: return nil
        }
    }

    private var paged: ViewerKey {
        switch self {
        case .left: .pageLeft
        case .right: .pageRight
        case .up: .pageUp
        case .down: .pageDown
        default: self
        }
    }

    private static let characters: [UInt8: ViewerKey] = [
        UInt8(ascii: "+"): .zoomIn, UInt8(ascii: "="): .zoomIn, UInt8(ascii: "-"): .zoomOut,
        UInt8(ascii: "_"): .zoomOut, UInt8(ascii: "0"): .fit, UInt8(ascii: "1"): .full,
        UInt8(ascii: "n"): .next, UInt8(ascii: "]"): .next, UInt8(ascii: "p"): .previous,
        UInt8(ascii: "["): .previous, UInt8(ascii: " "): .pageDown, UInt8(ascii: "q"): .quit,
        UInt8(ascii: "Q"): .quit, 0x03: .interrupt, 0x04: .quit, 0x0C: .redraw, 0x1A: .suspend,
    ]
    private static let functions: [Character: ViewerKey] = [
        "A": .up, "B": .down, "C": .right, "D": .left, "H": .top, "F": .bottom,
        // The keypad, where it sends application codes.
        "k": .zoomIn, "m": .zoomOut, "p": .fit, "q": .full,
    ]
    /// Arrows with Shift of rxvt.
    private static let shifted: [Character: ViewerKey] = [
        "a": .pageUp, "b": .pageDown, "c": .pageRight, "d": .pageLeft,
    ]
    private static let numbered: [String: ViewerKey] = [
        "1": .top, "7": .top, "4": .bottom, "8": .bottom, "5": .pageUp, "6": .pageDown,
    ]
}
