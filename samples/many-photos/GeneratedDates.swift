import ImageMetadata

/// Dates as people take pictures: days with many, and days with none.
enum GeneratedDates {
    static func date(_ number: Int) -> WallClock? {
        // Outings of about forty pictures, four hundred days out of a thousand, over twenty years and more.
        let outing = UInt64(number / 40) &* 0x9E37_79B9_7F4A_7C15
        let day = Int((outing >> 20) % 9000)
        let seconds = 32_400 + Int((outing >> 40) % 20_000) + number % 40 * 97
        return WallClock(wholeSeconds: (day + 10_000) * 86_400 + seconds)
    }
}
