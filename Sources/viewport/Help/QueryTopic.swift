#if CommandLine
import ArgumentParser
import Basics

extension ViewportCommand {
    /// The topics of `viewport help`.
    static var helpTopics: [any ParsableCommand.Type] {
        #if Library
        [FormatsTopic.self, QueryTopic.self, ExitCodesTopic.self]
        #else
        [FormatsTopic.self, ExitCodesTopic.self]
        #endif
    }
}

/// A topic of `viewport help` that is printed as JSON, too.
protocol OptionalHelp: ParsableCommand {
    var json: Bool { get }
    static var lines: [JSONValue] { get }
}

extension OptionalHelp {
    func run() throws { try printHelp() }

    func printHelp() throws {
        guard json else { throw CleanExit.helpRequest(self) }
        for line in Self.lines { print(line) }
    }
}

#if Library
import PhotoCatalog

/// `viewport help query`: the words that select, group and sort photos.
struct QueryTopic: OptionalHelp {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "List the words that select, group and sort photos of a library.",
        usage: "viewport help query [--json]", discussion: text)

    @Flag(help: "Print one line of JSON per option and per condition.")
    var json = false

    static var lines: [JSONValue] {
        AssetRequest.Parameter.allCases.map(\.json) + QueryRule.all.map(\.json)
    }

    private static var text: String {
        let options = AssetRequest.Parameter.allCases.map { parameter in
            ([line("--\(parameter.rawValue)", parameter.meaning)]
                + parameter.words.filter { !$0.others.isEmpty }.map {
                    line("", "\($0.word): also \($0.others.joined(separator: ", "))")
                }).joined(separator: "\n")
        }
        let conditions = QueryRule.all.map { rule in
            let others = rule.others.isEmpty ? "" : "; also \(rule.others.listed("or"))"
            return line(rule.name, "\(rule.meaning): \(rule.example)\(others)")
        }
        let former = AssetRequest.Parameter.allCases.compactMap { parameter in
            parameter.formerName.map { "\($0) for \(parameter.rawValue)" }
        }
        return """
            The options of `library list`, which also are the parameters of a library's
            addresses, such as group/all?group-by=month, and of AssetRequest in Swift:

            \(options.joined(separator: "\n"))

            The conditions of --where, of the search box of pages, and of AssetQuery in Swift:

            \(conditions.joined(separator: "\n"))

            Other words are searched in names, captions, keywords, places and cameras. All
            words and conditions have to match. A minus sign excludes: -is:video. Quotation
            marks keep words together: camera:"EOS 5D". Upper and lower case are the same.
            Addresses may still have the former names \(former.listed("or")).
            """
    }

    /// The columns of the names and of the whole line.
    private static let (nameWidth, width) = (13, 79)

    /// A name with its meaning, which is wrapped.
    private static func line(_ name: String, _ meaning: String) -> String {
        var lines: [String] = []
        var line = name + String(repeating: " ", count: nameWidth - name.count)
        for word in meaning.split(separator: " ") {
            if line.count + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: nameWidth)
            }
            line += "\(word) "
        }
        return (lines + [line]).map { $0.trimmingEnd }.joined(separator: "\n")
    }
}

extension String {
    fileprivate var trimmingEnd: String { String(reversed().drop { $0 == " " }.reversed()) }
}

extension AssetRequest.Parameter {
    fileprivate var json: JSONValue {
        .object([
            "option": .string("--\(rawValue)"), "name": .string(rawValue),
            "former": formerName.map(JSONValue.string), "meaning": .string(meaning),
            "words": .array(
                words.map { word in
                    .object([
                        "word": .string(word.word), "also": .array(word.others.map(JSONValue.string)),
                        "title": .string(word.title),
                    ])
                }),
        ])
    }
}

extension QueryRule {
    fileprivate var json: JSONValue {
        .object([
            "condition": .string(name), "also": .array(others.map(JSONValue.string)),
            "meaning": .string(meaning), "example": .string(example),
            "words": .array(words.map(JSONValue.string)),
        ])
    }

    /// The only values that there are; empty if there are others.
    private var words: [String] { if case .words(let words) = values { words } else { [] } }
}
#endif
#endif
