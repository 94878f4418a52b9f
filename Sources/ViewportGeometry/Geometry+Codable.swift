#if !hasFeature(Embedded)

    /// A point is coded as `[x, y]`.
    extension Point: Codable {
        public init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            self.init(x: try list.decode(Double.self), y: try list.decode(Double.self))
            try list.expectEnd()
        }

        public func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(x)
            try list.encode(y)
        }
    }

    /// A size is coded as `[width, height]`.
    extension Size: Codable {
        public init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            self.init(width: try list.decode(Double.self), height: try list.decode(Double.self))
            try list.expectEnd()
        }

        public func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(width)
            try list.encode(height)
        }
    }

    /// A rectangle is coded as `[x, y, width, height]`.
    extension Rect: Codable {
        public init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            self.init(
                x: try list.decode(Double.self), y: try list.decode(Double.self),
                width: try list.decode(Double.self), height: try list.decode(Double.self))
            try list.expectEnd()
        }

        public func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(minX)
            try list.encode(minY)
            try list.encode(width)
            try list.encode(height)
        }
    }

    /// Insets are coded as `[top, left, bottom, right]`.
    extension EdgeInsets: Codable {
        public init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            self.init(
                top: try list.decode(Double.self), left: try list.decode(Double.self),
                bottom: try list.decode(Double.self), right: try list.decode(Double.self))
            try list.expectEnd()
        }

        public func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(top)
            try list.encode(left)
            try list.encode(bottom)
            try list.encode(right)
        }
    }

    extension UnkeyedDecodingContainer {
        /// Throws if the list goes on: a fifth number means that something else was meant.
        fileprivate func expectEnd() throws {
            guard isAtEnd else {
                throw DecodingError.dataCorruptedError(
                    in: self, debugDescription: "more numbers than expected")
            }
        }
    }

#endif
