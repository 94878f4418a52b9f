#if CommandLine
import Files
import TerminalGraphics
import ViewportGeometry
import ViewportRendering

/// The terminal that standard output is: how it shows pictures, and how large.
struct TerminalScreen {
    private let abilities: TerminalAbilities
    private let answers: TerminalAnswers
    let painter: TerminalPainter

    /// A screen that answers no questions.
    init(_ environment: TerminalEnvironment, _ graphics: GraphicsProtocol) {
        self.init(environment, TerminalAnswers(), graphics)
    }

    private init(_ environment: TerminalEnvironment, _ answers: TerminalAnswers, _ chosen: GraphicsProtocol?)
    {
        abilities = environment.abilities(answers, chosen: chosen)
        self.answers = answers
        painter = TerminalPainter(abilities, identifier: ProcessEnvironment.process)
    }

    /// Asks the terminal what it can.
    static func asking(
        _ device: TerminalDevice?, _ environment: TerminalEnvironment, _ chosen: GraphicsProtocol?
    ) throws(OutputError) -> Self {
        guard let device, device.isForeground, !environment.isSilent, chosen != .blocks else {
            return Self(environment, TerminalAnswers(), chosen ?? .blocks)
        }
        device.makeRaw()
        var answers = TerminalAnswers()
        // Later answers would be taken for what is typed into the shell.
        defer { device.restore(dropsInput: !answers.isComplete) }
        try exchange(TerminalAnswers.questions(environment), device, &answers)
        if environment.abilities(answers, chosen: chosen).graphics == .sixel, answers.sixelColors ?? 256 < 256
        {
            try exchange(TerminalAnswers.moreColors, device, &answers)
        }
        // What old terminals have shown of the questions.
        try put(Array("\r\u{1B}[K".utf8))
        return Self(environment, answers, chosen)
    }

    /// The most time for answers, which are on their way over a network, too.
    private static let patience = Duration.seconds(1)

    private static func exchange(
        _ questions: [UInt8], _ device: TerminalDevice, _ answers: inout TerminalAnswers
    ) throws(OutputError) {
        answers.expectMore()
        try put(questions)
        var input = TerminalInput()
        let end = ContinuousClock.now + patience
        while !answers.isComplete, ContinuousClock.now < end {
            let left = (end - ContinuousClock.now) / .milliseconds(1)
            guard let bytes = device.read(within: Int(max(1, left))) else { return }
            for token in input.take(bytes) { answers.take(token) }
        }
    }

    private static func put(_ bytes: [UInt8]) throws(OutputError) {
        try OutputError.naming(StandardOutput.name) { () throws(FileError) in try StandardOutput.write(bytes)
        }
    }

    /// Writes to the terminal.
    func write(_ bytes: [UInt8]) throws(OutputError) { try Self.put(bytes) }

    private var window: WindowSize { OutputFile.windowSize ?? WindowSize(columns: 80, rows: 24) }

    /// The lines of text.
    var rows: Int { window.rows }

    /// The pixels of the upper rows of the screen, as many as the terminal takes at once.
    func bounds(rows: Int) -> Size<ViewSpace> {
        let window = window
        let cell = cell(of: window)
        var (width, height) = (window.columns * cell.width, rows * cell.height)
        if abilities.graphics == .sixel, let limit = answers.sixelLimit {
            (width, height) = (min(width, limit.width), min(height, limit.height))
        }
        return Size(width: Double(width), height: Double(height))
    }

    private func cell(of window: WindowSize) -> CellSize {
        guard abilities.graphics != .blocks else { return .block }
        // The window has the size of now, and the answer that of the start.
        let now = CellSize(width: window.width / window.columns, height: window.height / window.rows)
        let text = answers.textArea.flatMap {
            CellSize(width: $0.width / window.columns, height: $0.height / window.rows)
        }
        return now ?? answers.cell ?? text ?? .usual
    }

    /// The options of pictures: opaque, and without an own background in the terminal's color.
    func options(_ background: Color?) -> RenderOptions {
        var options = RenderOptions()
        let own = answers.background.map { Color(red: $0[0], green: $0[1], blue: $0[2]) }
        options.background = (background ?? .transparent).over(own ?? Color(red: 0, green: 0, blue: 0))
        return options
    }
}
#endif
