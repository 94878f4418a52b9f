/// An element of an XML text without its character data: as much XML as descriptors of pyramids use.
///
/// A document type, a processing instruction after the first and an entity other than the five are errors:
/// no descriptor needs them, and they are what makes XML dangerous.
struct XMLElement: Hashable {
    var name: String
    var attributes: [String: String] = [:]
    var children: [XMLElement] = []

    init(parsing text: String) throws(DescriptorError) {
        var reader = XMLReader(bytes: Array(text.utf8))
        self = try reader.document()
    }

    init(name: String) {
        self.name = name
    }

    /// An attribute that has to be there.
    func attribute(_ name: String) throws(DescriptorError) -> String {
        guard let value = attributes[name] else { throw .missing(name) }
        return value
    }

    /// An attribute that is a whole number of digits, `least` or more.
    func int(_ name: String, least: Int) throws(DescriptorError) -> Int {
        let text = try attribute(name)
        guard let value = Int(digits: text), value >= least else { throw .badValue(name: name, value: text) }
        return value
    }
}

extension Int {
    /// The number of a text of digits, at most ten of them; no sign, no spaces.
    init?(digits text: some StringProtocol) {
        guard (1...10).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        self.init(text)
    }
}
