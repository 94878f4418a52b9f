package import Basics

/// The header of an array file of NumPy: type, shape and order of its samples.
package struct NPYHeader: Equatable, Sendable {
    /// The type of a sample, by its bytes.
    package enum Kind: Hashable, Sendable, CustomStringConvertible {
        case uint(Int), int(Int), float(Int), bool

        package var byteCount: Int {
            switch self {
            case .uint(let bytes), .int(let bytes), .float(let bytes): bytes
            case .bool: 1
            }
        }

        /// The name in NumPy.
        package var description: String {
            switch self {
            case .uint(let bytes): "uint\(8 * bytes)"
            case .int(let bytes): "int\(8 * bytes)"
            case .float(let bytes): "float\(8 * bytes)"
            case .bool: "bool"
            }
        }

        var code: String {
            switch self {
            case .uint(let bytes): "\(bytes == 1 ? "|" : "<")u\(bytes)"
            case .int(let bytes): "\(bytes == 1 ? "|" : "<")i\(bytes)"
            case .float(let bytes): "<f\(bytes)"
            case .bool: "|b1"
            }
        }

        /// Reads "<f4"; nil for types that are not numbers, of other sizes, or big-endian.
        init?(code: some StringProtocol) {
            guard let order = code.first, "<|=".contains(order), let bytes = Int(code.dropFirst(2)) else {
                return nil
            }
            switch (code.dropFirst().first, bytes) {
            case ("u", 1), ("u", 2), ("u", 4), ("u", 8): self = .uint(bytes)
            case ("i", 1), ("i", 2), ("i", 4), ("i", 8): self = .int(bytes)
            case ("f", 2), ("f", 4), ("f", 8): self = .float(bytes)
            case ("b", 1): self = .bool
            default: return nil
            }
        }
    }

    package let kind: Kind
    package let shape: [Int]
    /// Whether the first index changes fastest.
    package let isColumnMajor: Bool
    /// The bytes before the samples.
    package let length: Int

    package static let signature = [0x93] + Array("NUMPY".utf8)

    package init(_ kind: Kind, _ shape: [Int]) {
        (self.kind, self.shape, isColumnMajor) = (kind, shape, false)
        length = Self.text(kind, shape).count + 10
    }

    /// Reads a header.
    ///
    /// - Throws: `InvalidText`.
    package init(_ head: [UInt8]) throws(InvalidText) {
        guard head.count >= 12, head.starts(with: Self.signature), (1...3).contains(head[6]) else {
            throw InvalidText("is no array of NumPy")
        }
        let isShort = head[6] == 1
        let start = isShort ? 10 : 12
        let count = (8..<start).reversed().reduce(0) { $0 << 8 | Int(head[$1]) }
        guard head.count >= start + count else { throw InvalidText("its header is cut off") }
        let text = String(decoding: head[start..<(start + count)], as: UTF8.self)
        guard let code = text.firstMatch(of: /'descr':\s*'([^']*)'/)?.1,
            let order = text.firstMatch(of: /'fortran_order':\s*(True|False)/)?.1,
            let list = text.firstMatch(of: /'shape':\s*\(([0-9, ]*)\)/)?.1
        else { throw InvalidText("its header is not understood") }
        guard let kind = Kind(code: code) else {
            throw InvalidText(
                "has samples of the type \(code); save integers, floats or booleans in little-endian order")
        }
        let shape = list.split { ", ".contains($0) }.map { Int($0) ?? -1 }
        guard shape.allSatisfy({ (0...1 << 31).contains($0) }) else {
            throw InvalidText("its shape is not understood")
        }
        (self.kind, self.shape, isColumnMajor, length) = (kind, shape, order == "True", start + count)
    }

    /// The most bytes that the header of a tile needs.
    static let longest = 1024

    package var bytes: [UInt8] {
        let text = Self.text(kind, shape)
        return Self.signature + [1, 0, UInt8(text.count & 0xFF), UInt8(text.count >> 8)] + text
    }

    /// The text, filled up so that samples begin at a multiple of 64.
    private static func text(_ kind: Kind, _ shape: [Int]) -> [UInt8] {
        let list = shape.map { "\($0)" }.joined(separator: ", ") + (shape.count == 1 ? "," : "")
        var text = Array("{'descr': '\(kind.code)', 'fortran_order': False, 'shape': (\(list)), }".utf8)
        text += [UInt8](repeating: 0x20, count: (64 - (text.count + 11) % 64) % 64)
        return text + [0x0A]
    }

    /// The samples between one and the next of each index.
    var strides: [Int] {
        var strides = [Int](repeating: 1, count: shape.count)
        let indices = isColumnMajor ? Array(shape.indices) : shape.indices.reversed()
        for (before, index) in zip(indices, indices.dropFirst()) {
            strides[index] = strides[before] * shape[before]
        }
        return strides
    }
}
