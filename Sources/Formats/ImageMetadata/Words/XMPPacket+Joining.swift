internal import Basics

extension XMPPacket {
    /// Returns a packet with the descriptions of others behind its own.
    ///
    /// Where both state a property, the first packet holds.
    static func joined(_ packet: [UInt8], _ others: [[UInt8]]) -> [UInt8] {
        let packet = leavingOut(of: packet) { $0 == "xmpNote:HasExtendedXMP" }
        let added = others.flatMap(descriptions)
        guard !added.isEmpty, let end = endOfDescriptions(packet) else { return packet }
        return packet[..<end] + added + packet[end...]
    }

    /// Returns the position of the tag that closes the list of descriptions; nil where there is none.
    private static func endOfDescriptions(_ packet: [UInt8]) -> Int? {
        var reader = XMLReader(packet)
        var path = XMPPath()
        while let token = try? reader.next() {
            switch token {
            case .open(let name, let attributes, let isEmpty):
                path.open(name, attributes)
                if isEmpty { path.close() }
            case .close:
                if path.resolved == "rdf:RDF" { return reader.start }
                path.close()
            case .text: break
            }
        }
        return nil
    }

    /// Returns the descriptions of a packet with the prefixes that are bound outside of them.
    private static func descriptions(_ packet: [UInt8]) -> [UInt8] {
        var reader = XMLReader(packet)
        var path = XMPPath()
        // The bindings of each open element around the descriptions.
        var bindings: [[XMLReader.Attribute]] = []
        var result: [UInt8] = []
        var open: (depth: Int, start: Int, bindings: [UInt8])?
        func end() {
            guard let begun = open, path.depth == begun.depth else { return }
            result += Array("<rdf:Description".utf8) + begun.bindings + packet[begun.start..<reader.offset]
            open = nil
        }
        while let token = try? reader.next() {
            switch token {
            case .open(let name, let attributes, let isEmpty):
                path.open(name, attributes)
                let own = attributes.filter { $0.name.hasPrefix("xmlns") }
                // Its name may have another prefix, which the closing tag repeats: such packets are left as they are.
                if open == nil, path.isDescription, name == "rdf:Description" {
                    let outer = bindings.joined().filter { attribute in
                        !own.contains { $0.name == attribute.name }
                    }
                    let texts = Dictionary(outer.map { ($0.name, $0.value) }) { $1 }.sorted { $0 < $1 }
                        .map { " \($0.key)=\"\(Markup.escaped($0.value, in: .double))\"" }
                    open = (
                        path.depth, reader.start + 1 + name.utf8.count, Array(texts.joined().utf8)
                    )
                }
                bindings.append(own)
                guard isEmpty else { continue }
                end()
                path.close()
                bindings.removeLast()
            case .close:
                end()
                path.close()
                if !bindings.isEmpty { bindings.removeLast() }
            case .text: break
            }
        }
        return result
    }
}
