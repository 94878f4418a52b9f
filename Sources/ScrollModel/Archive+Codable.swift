#if !hasFeature(Embedded)
    internal import ViewportGeometry

    /// The JSON form: `{"version":1,"center":[x,y],"zoom":z,"rotation":degrees}`.
    extension ScrollView.Archive: Codable {
        private enum Key: String, CodingKey { case version, center, zoom, rotation }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let version = try container.decode(Int.self, forKey: .version)
            guard version == Self.currentVersion else {
                throw DecodingError.dataCorruptedError(
                    forKey: .version, in: container,
                    debugDescription: "version \(version) of an archive; this program reads version 1")
            }
            let archive = Self(
                center: try container.decode(Point<ImageSpace>.self, forKey: .center),
                zoom: try container.decode(Double.self, forKey: .zoom),
                rotation: try container.decodeIfPresent(Double.self, forKey: .rotation) ?? 0)
            guard let archive else {
                throw DecodingError.dataCorruptedError(
                    forKey: .zoom, in: container,
                    debugDescription: "a zoom that is not positive, or no number")
            }
            self = archive
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(Self.currentVersion, forKey: .version)
            try container.encode(center, forKey: .center)
            try container.encode(zoom, forKey: .zoom)
            try container.encode(rotation, forKey: .rotation)
        }
    }

#endif
