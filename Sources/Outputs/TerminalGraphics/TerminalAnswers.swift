package import ViewportGeometry

/// What a terminal answers to questions about pictures.
///
/// Source: XTerm Control Sequences; kitty's graphics protocol; iTerm2's proprietary escape codes.
package struct TerminalAnswers: Hashable, Sendable {
    /// The answer that every terminal gives, the last one: what it is like, where 4 means sixels.
    package private(set) var attributes: [Int]?
    /// Name and version: "kitty(0.35.2)".
    package private(set) var name: String?
    package private(set) var hasKittyGraphics = false
    /// Whether it knows the cell size as iTerm2 does.
    package private(set) var isLikeITerm2 = false
    package private(set) var cell: CellSize?
    /// The area of the text in pixels.
    package private(set) var textArea: PixelSize<OutputGrid>?
    /// Red, green and blue of the background, from 0 to 1.
    package private(set) var background: [Double]?
    /// The number of colors of sixels.
    package private(set) var sixelColors: Int?
    /// The most pixels of sixels.
    package private(set) var sixelLimit: PixelSize<OutputGrid>?

    package init() {}

    /// All questions; the last one is a fence: who knows none of the others answers it at once.
    package static func questions(_ environment: TerminalEnvironment) -> [UInt8] {
        // Multiplexers would take kitty's for the title of a window.
        let kitty = environment.isMultiplexed ? "" : KittyGraphics.query
        return Array(
            (kitty + "\u{1B}[>q\u{1B}[14t\u{1B}[16t\u{1B}]11;?\u{1B}\\\u{1B}]1337;ReportCellSize\u{1B}\\"
                + "\u{1B}[?1;1;0S\u{1B}[?2;1;0S\u{1B}[c").utf8)
    }

    /// Asks for as many colors of sixels as a picture has at most; xterm begins with 16 as a VT340.
    package static let moreColors = Array("\u{1B}[?1;3;256S\u{1B}[c".utf8)

    /// Whether the last answer is there.
    package var isComplete: Bool { attributes != nil }

    /// Waits for the last answer once more, after further questions.
    package mutating func expectMore() { attributes = nil }

    /// Takes a token, which may be something else.
    package mutating func take(_ token: TerminalInput.Token) {
        switch token {
        case .control(let text, "c") where text.hasPrefix("?"):
            attributes = Self.numbers(text)
        case .control(let text, "S") where text.hasPrefix("?"):
            takeSixels(Self.numbers(text))
        case .control(let text, "t"):
            let numbers = Self.numbers(text)
            guard numbers.count == 3 else { return }
            if numbers[0] == 6 { cell = CellSize(width: numbers[2], height: numbers[1]) }
            if numbers[0] == 4 { textArea = Self.size(numbers[2], numbers[1]) }
        case .string("P", let text) where text.hasPrefix(">|"):
            name = String(text.dropFirst(2))
        case .string("_", let text) where text.hasPrefix("Gi=31") && text.hasSuffix(";OK"):
            hasKittyGraphics = true
        case .string("]", let text):
            if text.hasPrefix("1337;ReportCellSize=") { isLikeITerm2 = true }
            if text.hasPrefix("11;") { background = Self.color(text.dropFirst(3)) }
        default: break
        }
    }

    /// "?1;0;256" are colors, and "?2;0;1000;1000" a size; a second number other than 0 is an error.
    private mutating func takeSixels(_ numbers: [Int]) {
        guard numbers.count >= 3, numbers[1] == 0 else { return }
        if numbers[0] == 1, numbers[2] >= 2 { sixelColors = numbers[2] }
        if numbers[0] == 2, numbers.count == 4 { sixelLimit = Self.size(numbers[2], numbers[3]) }
    }

    private static func numbers(_ text: String) -> [Int] {
        text.drop { $0 == "?" }.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    }

    private static func size(_ width: Int, _ height: Int) -> PixelSize<OutputGrid>? {
        guard (1...100_000).contains(width), (1...100_000).contains(height) else { return nil }
        return PixelSize(width: width, height: height)
    }

    /// Parses "rgb:1e1e/1e1e/1e1e", with one to four digits each.
    private static func color(_ text: Substring) -> [Double]? {
        guard text.hasPrefix("rgb:") else { return nil }
        let parts = text.dropFirst(4).split(separator: "/")
        let values = parts.compactMap { part in
            (1...4).contains(part.count)
                ? UInt32(part, radix: 16).map { Double($0) / Double(1 << (4 * part.count) - 1) } : nil
        }
        return parts.count == 3 && values.count == 3 ? values : nil
    }
}

/// What the environment says about a terminal.
package struct TerminalEnvironment: Hashable, Sendable {
    private let term: String
    private let programs: [String]
    private let colors: String
    private let isInTmux: Bool
    private let isInScreen: Bool

    /// - Parameter variable: returns the value of an environment variable.
    package init(_ variable: (String) -> String?) {
        term = variable("TERM") ?? "dumb"
        programs = [variable("TERM_PROGRAM"), variable("LC_TERMINAL")].compactMap(\.self)
        colors = variable("COLORTERM") ?? ""
        isInTmux = variable("TMUX") != nil || term.hasPrefix("tmux")
        isInScreen = !isInTmux && (variable("STY") != nil || term.hasPrefix("screen"))
    }

    /// Whether tmux or screen is between program and terminal.
    package var isMultiplexed: Bool { isInTmux || isInScreen }

    /// Whether it shows lines of plain text only.
    package var isDumb: Bool { term == "dumb" }

    /// Whether it answers no questions, but may show them.
    package var isSilent: Bool { term == "linux" || isDumb }

    /// Returns how a terminal with these answers shows pictures best.
    ///
    /// Multiplexers draw the text again whenever they like, and do not know the pictures of the terminal around them:
    /// only tmux with sixels of its own shows any.
    package func abilities(_ answers: TerminalAnswers, chosen: GraphicsProtocol? = nil) -> TerminalAbilities {
        var abilities = TerminalAbilities(chosen ?? graphics(answers))
        abilities.sixelColors = min(answers.sixelColors ?? 256, 256)
        // In screen, the variable is that of the terminal around it.
        let isNew = colors == "truecolor" || colors == "24bit"
        abilities.hasTrueColor = !isInScreen && (isNew || !programs.contains("Apple_Terminal"))
        // Sixels that tmux knows are its own.
        let isOwn = abilities.graphics == .sixel && hasSixels(answers)
        abilities.isInTmux = isInTmux && !isOwn && abilities.graphics != .blocks
        return abilities
    }

    private func graphics(_ answers: TerminalAnswers) -> GraphicsProtocol {
        if !isMultiplexed {
            if answers.hasKittyGraphics { return .kitty }
            let names = programs + [answers.name].compactMap(\.self)
            let isKnown = names.contains { $0.hasPrefix("iTerm") || $0.hasPrefix("WezTerm") }
            if answers.isLikeITerm2 || isKnown { return .iterm2 }
        }
        return hasSixels(answers) ? .sixel : .blocks
    }

    private func hasSixels(_ answers: TerminalAnswers) -> Bool { answers.attributes?.contains(4) == true }
}
