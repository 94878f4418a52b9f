/// Where a library keeps what it knows: a hidden folder beside the photos.
package enum LibraryFolder {
    package static let name = ".viewport-library"
    package static let catalog = "catalogue.sqlite"
}
