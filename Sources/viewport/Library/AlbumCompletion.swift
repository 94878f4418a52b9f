#if CommandLine
#if Library
import ArgumentParser
import Files
import PhotoCatalog

/// Names of albums for the completions of shells.
enum AlbumCompletion {
    /// The albums of the library that the command line names; none if it cannot be read.
    static let names = CompletionKind.custom { words, _, _ in
        let line = ArgumentLine.command(of: Array(words.dropFirst()))
        guard let library = library(line.rest, line.options) else { return [] }
        let names = (try? PhotoLibrary.albumNames(at: library.root, catalog: library.catalog)) ?? []
        // Shells take one name from each line.
        return names.filter { !$0.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } }.map(word)
    }

    /// Returns the library of a line: the first value without an option, and that of `--catalog`.
    private static func library(
        _ words: [String], _ options: OptionNames
    ) -> (root: String, catalog: String?)? {
        var root: String?
        var catalog: String?
        var option: String?
        for word in words {
            if let name = option {
                if options.long(name) == "--catalog" { catalog = unquoted(word) }
                option = nil
            } else if word.hasPrefix("--catalog=") {
                catalog = unquoted(String(word.dropFirst("--catalog=".count)))
            } else if word.hasPrefix("-") {
                option = options.takesValue(word) ? word : nil
            } else if root == nil {
                root = unquoted(word)
            }
        }
        return root.map { ($0, catalog) }
    }

    /// Returns a word without the quotes of a shell, and with the home folder: bash and zsh pass words as they are typed.
    private static func unquoted(_ word: String) -> String {
        var result = ""
        var quote: Character?
        var isEscaped = false
        for character in word {
            if isEscaped {
                result.append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else {
                result.append(character)
            }
        }
        guard word == "~" || word.hasPrefix("~/"), let home = ProcessEnvironment.variable("HOME") else {
            return result
        }
        return home + result.dropFirst()
    }

    /// Returns a name as the script of the shell takes it.
    private static func word(_ name: String) -> String {
        switch CompletionShell.requesting {
        // It expands what it is given, also commands.
        case .bash: "'" + name.replacing("'", with: "'\\''") + "'"
        // What follows a colon would be a description.
        case .zsh: name.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
        default: name
        }
    }
}
#endif
#endif
