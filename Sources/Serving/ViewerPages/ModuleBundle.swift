/// One script of a module and of all modules that it imports.
///
/// The modules are written in the part of the language that this reads: each import and each export is a statement that
/// begins a line, imports name files in the same folder, and what is exported is declared in the statement. Imported
/// modules become functions that return what they export. Comments that fill lines, and the spaces before lines, are left
/// out: a quarter of the bytes. A module that is written otherwise is not changed.
struct ModuleBundle {
    /// The text of a module; nil if there is none.
    let text: (_ name: String) -> String?

    /// Returns the script of a module; nil if it or a module that it imports is not of the form above.
    func script(of name: String) -> String? {
        guard let root = Module(text(name)) else { return nil }
        var order: [String] = []
        var modules: [String: Module] = [:]
        var isOpen: Set = [name]
        func add(_ imports: [Module.Import]) -> Bool {
            for one in imports where modules[one.file] == nil {
                guard isOpen.insert(one.file).inserted, let module = Module(text(one.file)), !module.awaits,
                    add(module.imports)
                else { return false }
                modules[one.file] = module
                order.append(one.file)
            }
            return true
        }
        guard add(root.imports) else { return nil }
        let parts = order.map { name in
            let module = modules[name] ?? root
            return """
                const \(Self.variable(name)) = (() => {
                \(Self.bindings(module.imports))\(module.body(exports: false))
                return { \(module.exports.joined(separator: ", ")) };
                })();

                """
        }
        return parts.joined() + Self.bindings(root.imports) + root.body(exports: true)
    }

    private static func bindings(_ imports: [Module.Import]) -> String {
        imports.filter { !$0.names.isEmpty }.map { one in
            let names = one.names.map { $0.replacing(" as ", with: ": ") }
            return "const { \(names.joined(separator: ", ")) } = \(variable(one.file));\n"
        }.joined()
    }

    /// The name of what a module exports, as no module names anything.
    private static func variable(_ file: String) -> String {
        "$" + String(file.map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }
}

/// A module, separated into its imports and the rest.
private struct Module {
    struct Import {
        let file: String
        /// Such as `a` and `a as b`.
        let names: [String]
    }

    private(set) var imports: [Import] = []
    private(set) var exports: [String] = []
    /// The lines without imports, and where those with exports are.
    private var lines: [Substring] = []
    private var exporting: Set<Int> = []
    /// Whether it awaits outside of functions.
    private(set) var awaits = false

    init?(_ text: String?) {
        guard let text else { return nil }
        var rest = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        var isComment = false
        while let line = rest.popFirst() {
            let code = line.drop { $0 == " " }
            if isComment || code.hasPrefix("/*") && (code.hasSuffix("*/") || !code.contains("*/")) {
                isComment = !code.hasSuffix("*/")
            } else if code.isEmpty || code.hasPrefix("//") {
                continue
            } else if line.hasPrefix("import ") {
                var statement = String(line)
                while !statement.hasSuffix(";") {
                    guard let next = rest.popFirst() else { return nil }
                    statement += " " + next
                }
                guard let one = Self.parsed(statement) else { return nil }
                imports.append(one)
            } else if line.hasPrefix("export ") {
                guard let name = Self.exported(line.dropFirst("export ".count)) else { return nil }
                exports.append(name)
                exporting.insert(lines.count)
                lines.append(line.dropFirst("export ".count))
            } else {
                let isDeclaration = ["const ", "let ", "var "].contains { line.hasPrefix($0) }
                if line.hasPrefix("await ") || isDeclaration && line.contains("= await ") { awaits = true }
                lines.append(code)
            }
        }
    }

    func body(exports: Bool) -> String {
        lines.enumerated().map { (exports && exporting.contains($0) ? "export " : "") + $1 }
            .joined(separator: "\n")
    }

    /// Parses `import { a, b as c } from "./FILE";` and `import "./FILE";`.
    private static func parsed(_ statement: String) -> Import? {
        guard let open = statement.firstRange(of: "\"./"), statement.hasSuffix("\";") else { return nil }
        let file = String(statement[open.upperBound...].dropLast(2))
        let head = statement[..<open.lowerBound].dropFirst("import ".count)
        if head.isEmpty { return Import(file: file, names: []) }
        guard head.hasPrefix("{"), let close = head.firstIndex(of: "}"),
            head[head.index(after: close)...].filter({ $0 != " " }) == "from"
        else { return nil }
        let names = head[..<close].dropFirst().split(separator: ",").map { name in
            String(name.split(separator: " ").joined(separator: " "))
        }
        return Import(file: file, names: names.filter { !$0.isEmpty })
    }

    /// The name that a declaration declares.
    private static func exported(_ declaration: Substring) -> String? {
        let words = declaration.split { " (={;".contains($0) }
        let skipped = words.first == "async" ? 1 : 0
        guard words.count > skipped + 1, ["class", "function", "const"].contains(words[skipped]),
            !declaration.hasPrefix("const {"), !declaration.hasPrefix("const [")
        else { return nil }
        return String(words[skipped + 1])
    }
}
