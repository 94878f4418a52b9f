internal import Basics

/// A keyword and its text in a PNG.
struct PNGText {
    var keyword: String
    /// Latin-1 or UTF-8.
    var value: [UInt8]

    /// Nil where the chunk is broken.
    ///
    /// Texts that are compressed are left alone but for profiles, which photographs have.
    init?(_ body: FileBytes, type: String) {
        guard let end = body.indices.prefix(80).first(where: { body[$0] == 0 }) else { return nil }
        keyword = String(decoding: body.extracting(0..<end).array, as: UTF8.self)
        let rest = body.extracting((end + 1)...)
        switch type {
        case "tEXt":
            value = rest.array
        case "zTXt":
            guard keyword.hasPrefix("Raw profile type "), rest.uint8(at: 0) == 0,
                let inflated = Inflate.zlib(rest.extracting(1...), limit: 1 << 20)
            else { return nil }
            value = inflated
        default:
            // Whether it is compressed, how, the language, and the keyword in that language.
            guard let isCompressed = rest.uint8(at: 0), let language = rest.text(endFrom: 2),
                let translated = rest.text(endFrom: language)
            else { return nil }
            let text = rest.extracting(translated...)
            guard isCompressed == 1 else {
                value = text.array
                return
            }
            guard let inflated = Inflate.zlib(text, limit: 1 << 22) else { return nil }
            value = inflated
        }
    }
}

extension FileBytes {
    /// The offset behind the NUL that ends the text at `start`.
    fileprivate func text(endFrom start: Int) -> Int? {
        guard start <= count else { return nil }
        return (start..<count).first { self[$0] == 0 }.map { $0 + 1 }
    }
}
