/// How the blocks of an MCU become pixels at one eighth, as libjpeg-turbo makes them.
///
/// A component's block becomes one sample, or a square of two by two where its sampling is halved both ways.
struct OverviewPlan {
    /// One component's part.
    struct Component {
        /// Blocks across and down an MCU.
        var across: Int
        var down: Int
        /// Samples across and down a block: 1 or 2.
        var side: Int
        /// Pixels across and down that one sample fills.
        var spreadX: Int
        var spreadY: Int
        /// The factor of the DC value.
        var quantization: Int32
        /// What the coefficients in zigzag order add to two by two samples.
        var slots: DequantizationTable.View
    }

    let components: [Component]
    // The owners of what the components view.
    private let tables: [DequantizationTable]
    /// Pixels of an MCU, one for each of the greatest sampling factors.
    let mcuWidth: Int
    let mcuHeight: Int
    let color: OverviewColor

    /// Nil where libjpeg's reduced sizes are others than one and two: nobody makes such files.
    init?(_ header: JPEGHeader) {
        mcuWidth = header.maximumHorizontal
        mcuHeight = header.maximumVertical
        color = OverviewColor(header)
        var result: [Component] = []
        var tables: [DequantizationTable] = []
        for (index, component) in header.components.enumerated() {
            let (across, down) = header.blocks(of: index)
            let side = header.blockSide(of: index, at: .eighth)
            // The parser has checked that the tables which components name are there.
            let table = header.quantization[Int(component.quantization)]!
            guard side <= 2 else { return nil }
            let slots = DequantizationTable(table)
            tables.append(slots)
            result.append(
                Component(
                    across: across, down: down, side: side, spreadX: mcuWidth / (across * side),
                    spreadY: mcuHeight / (down * side), quantization: Int32(table[0]),
                    slots: slots.view))
        }
        components = result
        self.tables = tables
    }
}

/// What the components of a JPEG are, decided as libjpeg decides it.
///
/// Source: libjpeg-turbo, jdapimin.c, default_decompress_parms.
enum OverviewColor: Sendable {
    case gray
    case rgb
    case yCbCr
    case cmyk
    case ycck

    init(_ header: JPEGHeader) {
        switch header.components.count {
        case 1: self = .gray
        case 3:
            if header.hasJFIF {
                self = .yCbCr
            } else if let transform = header.adobeTransform {
                self = transform == 0 ? .rgb : .yCbCr
            } else {
                self = header.components.map(\.id) == [0x52, 0x47, 0x42] ? .rgb : .yCbCr
            }
        default:
            self = header.adobeTransform == 2 ? .ycck : .cmyk
        }
    }
}
