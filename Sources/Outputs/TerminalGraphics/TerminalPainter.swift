internal import PNGEncoding
package import Pictures
internal import ViewportGeometry

/// Writes pictures as a terminal shows them.
///
/// Pictures are opaque: alpha is ignored.
package struct TerminalPainter: Sendable {
    private let abilities: TerminalAbilities
    /// The first of two numbers by which kitty knows the pictures of a screen: the next is there before the last one goes.
    private let identifier: Int

    /// - Parameter identifier: a number that other programs at the terminal do not use, such as that of the process.
    package init(_ abilities: TerminalAbilities, identifier: Int) {
        self.abilities = abilities
        // Below 2^24, which multiplexers can express, too.
        self.identifier = 2 * (identifier & 0x7FFFF) + 2
    }

    /// Returns a picture at the cursor, with the cursor on the line below it.
    package func line(_ picture: Picture) throws -> [UInt8] {
        switch abilities.graphics {
        case .blocks: return HalfBlocks(try picture.rgba(), picture.size, abilities).lines
        case .kitty: return wrapped(KittyGraphics.show(try png(picture))) + [0x0A]
        case .iterm2: return wrapped([InlineImage.show(try png(picture), picture.size)]) + [0x0A]
        case .sixel: return wrapped([try sixels(picture)]) + [0x0A]
        }
    }

    /// Returns a picture at the top left of the screen, which replaces the one before without a moment between them.
    ///
    /// - Parameter number: counts the pictures of the screen, from 0.
    package func page(_ picture: Picture, number: Int) throws -> [UInt8] {
        let home = Array("\u{1B}[H".utf8)
        switch abilities.graphics {
        case .blocks:
            return HalfBlocks(try picture.rgba(), picture.size, abilities).page
        case .kitty:
            let new = KittyGraphics.show(try png(picture), as: identifier + number % 2)
            let old = KittyGraphics.delete(identifier + (number + 1) % 2)
            return home + wrapped(new + [old])
        case .iterm2:
            return home + wrapped([InlineImage.show(try png(picture), picture.size)])
        case .sixel:
            return home + wrapped([try sixels(picture)])
        }
    }

    /// What removes the pictures of the screen from the terminal's memory.
    package var end: [UInt8] {
        guard abilities.graphics == .kitty else { return [] }
        return wrapped([identifier, identifier + 1].map(KittyGraphics.delete))
    }

    private func png(_ picture: Picture) throws -> [UInt8] {
        let format = PNGFormat(
            width: picture.size.width, height: picture.size.height, channels: .rgb, bitDepth: .eight,
            colorSpace: .sRGB)
        let rgb = try picture.rgb()
        return try PNGEncoder(level: .fast).encode(rgb.span, as: format)
    }

    private func sixels(_ picture: Picture) throws -> [UInt8] {
        Sixels.bytes(
            of: try picture.rgb(), width: picture.size.width, height: picture.size.height,
            colors: abilities.sixelColors)
    }

    private func wrapped(_ strings: [[UInt8]]) -> [UInt8] {
        strings.flatMap { abilities.isInTmux ? Tmux.passthrough($0) : $0 }
    }
}

/// Source: sw.kovidgoyal.net/kitty/graphics-protocol.
enum KittyGraphics {
    /// Returns the pieces of a PNG file: 4096 bytes of base64 each.
    ///
    /// - Parameter number: the number of a picture on a screen, where the cursor stays; nil for one in the text.
    static func show(_ png: [UInt8], as number: Int? = nil) -> [[UInt8]] {
        let text = Base64.bytes(of: png)
        let starts = Array(stride(from: 0, to: max(text.count, 1), by: 4096))
        return starts.map { start in
            let piece = text[start..<min(start + 4096, text.count)]
            let isLast = start == starts.last
            // Answers would be taken for keys: q=2 asks for none.
            let head = start > 0 ? "" : "a=T,f=100," + (number.map { "i=\($0),p=1,C=1," } ?? "")
            return Array("\u{1B}_G\(head)q=2,m=\(isLast ? 0 : 1);".utf8) + piece + Array("\u{1B}\\".utf8)
        }
    }

    /// Returns what removes a picture from the screen and from memory.
    static func delete(_ number: Int) -> [UInt8] { Array("\u{1B}_Ga=d,d=I,i=\(number),q=2;\u{1B}\\".utf8) }

    /// A question that terminals with the protocol answer with OK.
    static let query = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"
}

/// Source: iterm2.com/documentation-images.html.
enum InlineImage {
    static func show(_ file: [UInt8], _ size: PixelSize<OutputGrid>) -> [UInt8] {
        let head =
            "\u{1B}]1337;File=inline=1;size=\(file.count);width=\(size.width)px;height=\(size.height)px;"
            + "preserveAspectRatio=0:"
        return Array(head.utf8) + Base64.bytes(of: file) + [0x07]
    }
}

/// Source: tmux(1), allow-passthrough.
enum Tmux {
    static func passthrough(_ bytes: [UInt8]) -> [UInt8] {
        Array("\u{1B}Ptmux;".utf8) + bytes.flatMap { $0 == 0x1B ? [$0, $0] : [$0] } + Array("\u{1B}\\".utf8)
    }
}

/// Source: RFC 4648.
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func bytes(of bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var bits = 0
            for at in 0..<3 { bits = bits << 8 | (at < count ? Int(bytes[start + at]) : 0) }
            for at in 0..<4 {
                result.append(at <= count ? digits[bits >> (18 - 6 * at) & 63] : UInt8(ascii: "="))
            }
        }
        return result
    }
}
