#if CommandLine
public import ArgumentParser
import Basics

/// An argument type that describes its values, for errors about others.
protocol Explained {
    /// The accepted values: "X,Y".
    static var understood: String { get }
    /// An accepted value.
    static var example: String { get }

    /// Returns what is wrong with a value; nil if the accepted values explain it.
    static func fault(in text: String) -> String?
}

extension Explained {
    static func fault(in text: String) -> String? { nil }
}

extension ValidationError {
    /// Describes a refused value: the value, the fault, the accepted values and an example.
    init(
        refusing value: some CustomStringConvertible, of option: String, because fault: String? = nil,
        give understood: String, example: some CustomStringConvertible
    ) {
        let given = value.description.isEmpty ? "''" : "'\(Self.printable(value.description))'"
        let start = option.hasPrefix("-") ? "\(option) " : ""
        self.init(
            "\(option) \(given): \(fault ?? "not understood"); give \(understood), for example "
                + "\(start)\(example)")
    }

    /// Returns the text with control characters escaped.
    static func printable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
            result += isControl ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return result
    }
}

extension ParsableArguments {
    /// Refuses a number outside of a range.
    func require<N: Comparable & CustomStringConvertible>(
        _ option: String, _ value: N?, in range: ClosedRange<N>, example: N
    ) throws {
        // NaN is in no range.
        guard let value, !range.contains(value) else { return }
        throw ValidationError(
            refusing: plain(value), of: option, because: "out of range",
            give: "a number from \(plain(range.lowerBound)) to \(plain(range.upperBound))",
            example: plain(example))
    }

    /// Refuses a number below a bound.
    func require<N: Comparable & CustomStringConvertible>(
        _ option: String, _ value: N?, in range: PartialRangeFrom<N>, example: N
    ) throws {
        guard let value, !range.contains(value) else { return }
        throw ValidationError(
            refusing: plain(value), of: option, because: "out of range",
            give: "a number from \(plain(range.lowerBound))", example: plain(example))
    }

    /// Returns a number without a trailing ".0".
    private func plain(_ number: some CustomStringConvertible) -> String {
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

/// A value that the parser refused, with its option, its command and the type of its values.
///
/// The parser does not publish this: it is read by reflection. If that fails, the parser's own message is used.
/// Tests cover all commands.
struct RefusedValue {
    private let option: String
    private let value: String
    private let type: Any.Type
    private let known: OptionNames.Known?

    init?(_ error: any Error) {
        let mirror = Mirror(reflecting: error)
        guard let stack = mirror.descendant("commandStack") as? [any ParsableCommand.Type],
            let command = stack.last, let parserError = mirror.descendant("parserError"),
            let kind = Mirror(reflecting: parserError).children.first, kind.label == "unableToParseValue"
        else { return nil }
        let parts = Array(Mirror(reflecting: kind.value).children)
        guard parts.count == 5, let value = parts[2].value as? String else { return nil }
        let key = Mirror(reflecting: parts[3].value)
        guard let property = key.descendant("name") as? String,
            let path = key.descendant("path") as? [String],
            let type = Self.valueType(at: path + [property], in: command.init())
        else { return nil }
        known = OptionNames(of: command).all.first { $0.matches(property, Self.name(parts[1].value)) }
        option = Self.name(parts[1].value) ?? "<\(known?.valueName ?? property)>"
        (self.value, self.type) = (value, type)
    }

    var error: ValidationError {
        if let explained = type as? any Explained.Type {
            return ValidationError(
                refusing: value, of: option, because: explained.fault(in: value),
                give: explained.understood, example: explained.example)
        }
        let choices = (type as? any ExpressibleByArgument.Type)?.allValueStrings ?? []
        if !choices.isEmpty {
            let near = Suggestion.nearest(to: value, of: choices)
            return ValidationError(
                refusing: value, of: option,
                because: near.map { "unknown (did you mean \($0)?)" } ?? "unknown",
                give: choices.joined(separator: ", "), example: near ?? known?.defaultValue ?? choices[0])
        }
        let example = known?.defaultValue
        return switch type {
        case is any FixedWidthInteger.Type:
            ValidationError(refusing: value, of: option, give: "a whole number", example: example ?? "10")
        case is any BinaryFloatingPoint.Type:
            ValidationError(refusing: value, of: option, give: "a number", example: example ?? "2.5")
        default:
            ValidationError(
                refusing: value, of: option, give: known?.abstract ?? "another value", example: example ?? "…"
            )
        }
    }

    /// Returns "--rect" or "-Q"; nil for a positional argument.
    fileprivate static func name(_ name: Any) -> String? {
        guard let unwrapped = Mirror(reflecting: name).children.first?.value,
            let kind = Mirror(reflecting: unwrapped).children.first
        else { return nil }
        let text =
            kind.value as? String ?? Mirror(reflecting: kind.value).children.first.map { "\($0.value)" }
        return text.map { kind.label == "long" ? "--\($0)" : "-\($0)" }
    }

    /// Returns the type of a property's values.
    private static func valueType(at path: [String], in arguments: Any) -> Any.Type? {
        guard let name = path.first,
            let wrapper = Mirror(reflecting: arguments).children.first(where: { $0.label == "_\(name)" })?
                .value
        else { return nil }
        if let group = wrapper as? any ArgumentGroup {
            return valueType(at: Array(path.dropFirst()), in: group.empty)
        }
        var type = (wrapper as? any ArgumentWrapper)?.valueType
        while let outer = type as? any ValueContainer.Type { type = outer.contained }
        return type
    }
}

/// An option that a command does not have; read from the parser's error by reflection, as `RefusedValue` is.
struct UnknownOption {
    let error: ValidationError

    init?(_ error: any Error) {
        let mirror = Mirror(reflecting: error)
        guard let stack = mirror.descendant("commandStack") as? [any ParsableCommand.Type],
            let command = stack.last, let parserError = mirror.descendant("parserError"),
            let kind = Mirror(reflecting: parserError).children.first, kind.label == "unknownOption",
            let name = Array(Mirror(reflecting: kind.value).children).last?.value,
            let option = RefusedValue.name(Optional(name) as Any)
        else { return nil }
        self.error = ValidationError(OtherWords.sentence(forUnknown: option, of: command))
    }
}

private protocol ArgumentWrapper { var valueType: Any.Type { get } }
extension Option: ArgumentWrapper { fileprivate var valueType: Any.Type { Value.self } }
extension Argument: ArgumentWrapper { fileprivate var valueType: Any.Type { Value.self } }

private protocol ArgumentGroup { var empty: Any { get } }
extension OptionGroup: ArgumentGroup { fileprivate var empty: Any { Value() } }

private protocol ValueContainer { static var contained: Any.Type { get } }
extension Optional: ValueContainer { fileprivate static var contained: Any.Type { Wrapped.self } }
extension Array: ValueContainer { fileprivate static var contained: Any.Type { Element.self } }
#endif
