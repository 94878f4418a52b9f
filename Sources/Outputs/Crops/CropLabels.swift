package import Basics
package import Batches

/// The one form of the labels of a manifest: programs that train take the members and types of the first samples for those of all.
///
/// Each sample has the members of all lines. A text that a line lacks is empty, a list is empty, and anything else is null. Numbers
/// have a point in all samples if one of them is a fraction.
struct LabelForm: Sendable {
    private struct Member: Sendable {
        let name: String
        var form: LabelForm
    }

    private var members: [Member] = []
    /// The places of members by the bytes of their names.
    private var places: [[UInt8]: Int] = [:]
    /// The form of the elements of lists; none without lists.
    private var elements: [LabelForm] = []
    private var hasText = false
    private var hasFraction = false
    private var hasOther = false
    private var hasObject = false

    /// The form of the labels of items.
    init(_ items: [BatchItem]) {
        for item in items { note(.object(item.rest)) }
    }

    private init() {}

    var isEmpty: Bool { members.isEmpty }

    /// Takes notice of a value.
    private mutating func note(_ value: JSONValue) {
        switch value {
        case .null: break
        case .bool: hasOther = true
        case .int: hasOther = true
        case .number: (hasOther, hasFraction) = (true, true)
        case .string: hasText = true
        case .array(let values):
            if elements.isEmpty { elements = [LabelForm()] }
            for value in values { elements[0].note(value) }
        case .object(let values):
            hasObject = true
            for value in values {
                let key = Array(value.name.utf8)
                if let place = places[key] {
                    members[place].form.note(value.value)
                } else {
                    places[key] = members.count
                    var member = Member(name: value.name, form: LabelForm())
                    member.form.note(value.value)
                    members.append(member)
                }
            }
        }
    }

    /// Returns a value in this form.
    func formed(_ value: JSONValue?) -> JSONValue {
        switch value {
        case nil, .null?:
            if hasText, !hasOther, !hasObject, elements.isEmpty { return .string("") }
            if hasObject, !hasText, !hasOther, elements.isEmpty {
                return formed(.object([] as [JSONValue.Member]))
            }
            return !elements.isEmpty && !hasText && !hasOther && !hasObject ? .array([]) : .null
        case .int(let number)? where hasFraction: return .number("\(number).0")
        case .number(let text)?: return .number(text.contains { ".eE".contains($0) } ? text : "\(text).0")
        case .array(let values)?: return .array(values.map { (elements.first ?? LabelForm()).formed($0) })
        case .object(let values)?:
            let given = Dictionary(values.map { (Array($0.name.utf8), $0.value) }) { $1 }
            return .object(
                members.map { member in
                    JSONValue.Member(
                        name: member.name, value: member.form.formed(given[Array(member.name.utf8)]))
                })
        case .bool?, .int?, .string?: return value ?? .null
        }
    }
}

/// The classes of crops: the numbers of a label.
package struct CropClasses: Equatable, Sendable {
    /// The name of the label.
    package let label: String
    /// The texts, sorted by their bytes, of which each is the class of its number; nil where labels are numbers already.
    package let names: [String]?

    /// - Throws: `InvalidText` for a line whose label is missing, or is neither a text nor a whole number.
    package init(of label: String, _ items: [BatchItem]) throws(InvalidText) {
        self.label = label
        var texts: Set<String> = []
        var hasNumbers = false
        for item in items {
            switch Self.value(label, item) {
            case .string(let text)? where !text.isEmpty: texts.insert(text)
            case .int(let number)? where number >= 0: hasNumbers = true
            default:
                throw InvalidText(
                    "line \(item.line): --class \(label): the member must be a text or a whole number in each line"
                )
            }
        }
        guard texts.isEmpty || !hasNumbers else {
            throw InvalidText("--class \(label): the member is a text in some lines and a number in others")
        }
        names = hasNumbers ? nil : texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The class of an item.
    func number(_ item: BatchItem) -> Int? {
        switch Self.value(label, item) {
        case .int(let number)?: number
        case .string(let text)?: names?.firstIndex { $0.utf8.elementsEqual(text.utf8) }
        default: nil
        }
    }

    private static func value(_ label: String, _ item: BatchItem) -> JSONValue? {
        item.rest.first { $0.name.utf8.elementsEqual(label.utf8) }?.value
    }

    /// The table beside the archives.
    package var table: JSONValue {
        .object([
            "label": .string(label), "classes": names.map { .array($0.map(JSONValue.string)) } ?? .null,
        ])
    }
}
