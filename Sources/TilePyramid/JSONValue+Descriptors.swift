internal import Basics

extension JSONValue {
    /// Parses a descriptor.
    init(describing text: String) throws(DescriptorError) {
        do throws(JSONSyntaxError) {
            try self.init(parsing: text)
        } catch {
            throw .syntax(offset: error.offset)
        }
    }

    /// A member that is a whole number above 0; nil where there is no such member.
    func positive(_ name: String) throws(DescriptorError) -> Int? {
        guard let value = self[name] else { return nil }
        guard case .int(let number) = value, (1...DeepZoomDescriptor.longestSide).contains(number) else {
            throw .badValue(name: name, value: value.text())
        }
        return number
    }

    /// A member that has to be there.
    func require(_ name: String) throws(DescriptorError) -> JSONValue {
        guard let value = self[name] else { throw .missing(name) }
        return value
    }
}
