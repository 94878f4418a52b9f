/// XMP packets made of properties.
package enum XMPMaker {
    /// A packet whose properties are attributes, under the usual prefixes or under others.
    package static func packet(
        _ attributes: [(name: String, value: String)], elements: String = "",
        prefixes: [String: String] = [:]
    ) -> String {
        let namespaces = [
            "exif": "http://ns.adobe.com/exif/1.0/", "xmp": "http://ns.adobe.com/xap/1.0/",
            "photoshop": "http://ns.adobe.com/photoshop/1.0/", "dc": "http://purl.org/dc/elements/1.1/",
            "tiff": "http://ns.adobe.com/tiff/1.0/", "GCamera": "http://ns.google.com/photos/1.0/camera/",
        ]
        let declared = namespaces.sorted { $0.key < $1.key }.map { name, address in
            "xmlns:\(prefixes[name] ?? name)=\"\(address)\""
        }.joined(separator: " ")
        let written = attributes.map { name, value in
            let parts = name.split(separator: ":")
            let prefix = prefixes[String(parts[0])] ?? String(parts[0])
            return "\(prefix):\(parts[1])=\"\(value)\""
        }.joined(separator: "\n   ")
        return """
            <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
            <x:xmpmeta xmlns:x="adobe:ns:meta/">
             <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
              <!-- a description -->
              <rdf:Description rdf:about="" \(declared)
               \(written)>\(elements)</rdf:Description>
             </rdf:RDF>
            </x:xmpmeta>
            <?xpacket end="w"?>
            """
    }
}
