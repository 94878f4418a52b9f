internal import Basics

/// A property of the picture as a packet states it, of any namespace.
struct XMPStatement: Equatable {
    /// Everything in it: elements, attributes and texts, without white space around them.
    var content = ""
    /// Its texts.
    var texts: Set<String> = []

    /// Whether it has no value.
    var isEmpty: Bool { texts.isEmpty }
}

extension XMPPacket {
    /// Returns all properties of the picture by their names, those of other namespaces with the writer's prefix.
    static func statements(_ text: SidecarText) throws(SidecarFault) -> [String: XMPStatement] {
        var reader = XMLReader(text.utf8)
        var statements: [String: XMPStatement] = [:]
        do throws(XMLSyntaxError) {
            var path = XMPPath()
            // The open property, and the number of elements around it.
            var open: (name: String, depth: Int)?
            while let token = try reader.next() {
                switch token {
                case .open(let name, let attributes, let isEmpty):
                    path.open(name, attributes)
                    let values = attributes.filter { !$0.name.hasPrefix("xmlns") && $0.name != "rdf:about" }
                    if path.isDescription {
                        for value in values {
                            statements[path.resolve(value.name) ?? value.name, default: XMPStatement()]
                                .add(value.value)
                        }
                    }
                    if path.isPropertyElement { open = (path.resolved ?? name, path.depth) }
                    if let open {
                        statements[open.name, default: XMPStatement()].add(
                            path.depth > open.depth ? path.resolved ?? name : nil, values)
                    }
                    if isEmpty {
                        if open?.depth == path.depth { open = nil }
                        path.close()
                    }
                case .text(let text):
                    if let open { statements[open.name, default: XMPStatement()].add(text) }
                case .close:
                    if open?.depth == path.depth { open = nil }
                    path.close()
                }
            }
        } catch {
            throw text.fault(error)
        }
        return statements.filter { !$0.value.isEmpty }
    }
}

extension XMPStatement {
    fileprivate mutating func add(_ text: String) {
        let text = XMPPacket.keyword(text)
        guard !text.isEmpty else { return }
        content += "\(text)\n"
        texts.insert(text)
    }

    /// Adds an element in the property, or the property itself, with its attributes.
    fileprivate mutating func add(_ element: String?, _ attributes: [XMLReader.Attribute]) {
        if let element { content += "<\(element)\n" }
        // What type a value has, and its language, are no values.
        let kinds: Set = ["xml:lang", "rdf:parseType"]
        for attribute in attributes.sorted(by: { $0.name < $1.name }) {
            content += "\(attribute.name)="
            if kinds.contains(attribute.name) {
                content += "\(attribute.value)\n"
            } else {
                add(attribute.value)
            }
        }
    }
}
