internal import Basics

extension XMLElement {
    /// Parses a descriptor.
    init(describing text: String) throws(DescriptorError) {
        do throws(XMLSyntaxError) {
            try self.init(parsing: text)
        } catch {
            throw .syntax(offset: error.offset)
        }
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
