/// What happens to a collection: its assets change, or its filter or sorter do; it ends when its task is cancelled.
///
/// Every reader has changes of its own, and none of them waits in memory: a change leads from what the reader was
/// told last to what is now, whatever came between.
public struct CollectionChanges: AsyncSequence, Sendable {
    public typealias Element = CollectionChange
    public typealias Failure = LibraryError

    let collection: AssetCollection
    let start: Arrangement?

    public func makeAsyncIterator() -> Iterator { Iterator(collection: collection, known: start) }

    public struct Iterator: AsyncIteratorProtocol {
        let collection: AssetCollection
        /// The collection as it was at the last look.
        package private(set) var known: Arrangement?
        private var version: Int?

        init(collection: AssetCollection, known: Arrangement?) {
            self.collection = collection
            self.known = known
        }

        public mutating func next() async throws(LibraryError) -> CollectionChange? {
            do throws(LibraryError) {
                while !Task.isCancelled {
                    if let change = try await look() { return change }
                    try? await Task.sleep(for: PhotoLibrary.pause)
                }
                return nil
            } catch .cancelled {
                return nil
            }
        }

        /// What has changed since the last look; nil where nothing that is shown has.
        package mutating func look() async throws(LibraryError) -> CollectionChange? {
            let library = collection.library
            let (criteria, newVersion) = (collection.criteria, collection.version)
            guard let known else {
                self.known = try await collection.arrangement()
                version = newVersion
                return nil
            }
            let sequence = try await library.catalog.read(ChangeLog.lastSequence)
            guard sequence != known.sequence || newVersion != version else { return nil }
            version = newVersion
            let (arrangement, updated) = try await library.catalog.read { database in
                (
                    try Arrangement(criteria, database),
                    try ChangeLog.assets(since: known.sequence, database)?.updated
                )
            }
            self.known = arrangement
            let change = CollectionChange(from: known, to: arrangement, updated: updated)
            return change.isEmpty ? nil : change
        }
    }
}

extension AssetCollection {
    /// What happens to the collection after an arrangement, or from the first reading on where there is none.
    public func changes(since arrangement: Arrangement? = nil) -> CollectionChanges {
        CollectionChanges(collection: self, start: arrangement)
    }
}
