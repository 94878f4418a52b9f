/// Numbers about the content of a library.
package struct LibraryStatistics: Sendable {
    /// The number of assets.
    package var assets = 0
    /// The size of all files in bytes.
    package var bytes = 0
    /// The number of photos.
    package var photos = 0
    /// The number of videos.
    package var videos = 0
    /// The number of screenshots, which are photos too.
    package var screenshots = 0
    /// The number of assets without a date.
    package var undated = 0
    /// The number of assets whose date has no time zone.
    package var withoutZone = 0
    /// The number of assets with a location.
    package var located = 0
    /// The number of different place names.
    package var places = 0
    /// The number of albums, the picks among them.
    package var albums = 0
    /// The length of all videos in seconds.
    package var seconds = 0.0
    /// The date of the first asset as the catalog stores it.
    package var firstDate: String?
    package var lastDate: String?
    /// The number of assets of each format, the most common first.
    package var formats: [(name: String, count: Int)] = []

    package init() {}
}
