extension TileLoader {
    /// Takes a set of tiles as all that a viewer wants; what it wanted before and does not want now is given up.
    ///
    /// Tiles that are in memory arrive at once. The set is wanted until the inbox is let go of, or the viewer
    /// wants another one.
    func want(_ wishes: [TileRequest], of source: TiledSource, for viewer: TileViewer) -> TileDelivery {
        let (number, found) = replace(wishes, of: source, for: viewer)
        let inbox = TileDelivery { Task { await self.leave(viewer, number) } }
        wanted[viewer]?.inbox = inbox
        for arrival in found { inbox.put(arrival) }
        startJobs()
        return inbox
    }

    /// Takes a set of tiles to be read when nothing more urgent is to do, until the viewer says otherwise.
    func wantSoon(_ wishes: [TileRequest], of source: TiledSource, for viewer: TileViewer) {
        _ = replace(wishes, of: source, for: viewer.resting)
        startJobs()
    }

    /// Gives up all that a viewer wants, now and soon.
    public func leave(_ viewer: TileViewer) {
        for viewer in [viewer, viewer.resting] {
            guard let number = wanted[viewer]?.number else { continue }
            leave(viewer, number)
        }
    }

    /// Books what a viewer wants, and gives what of it is in memory.
    private func replace(
        _ wishes: [TileRequest], of source: TiledSource, for viewer: TileViewer
    ) -> (number: Int, found: [TileArrival]) {
        let before = wanted[viewer]
        before?.inbox?.close()
        let number = nextNumber()
        let keys = Set(wishes.map(\.key))
        wanted[viewer] = Wanted(number: number, keys: keys)
        var found: [TileArrival] = []
        // First what is wanted, then what is not: a tile of both sets goes on.
        for wish in wishes {
            if let tile = cache.tile(wish.key) {
                found.append(TileArrival(key: wish.key, result: .success(tile)))
            } else {
                add(wish, source, viewer)
            }
        }
        for key in before?.keys.subtracting(keys) ?? [] { giveUp(key, viewer) }
        return (number, found)
    }

    private func add(_ wish: TileRequest, _ source: TiledSource, _ viewer: TileViewer) {
        if jobs[wish.key] == nil {
            jobs[wish.key] = Job(number: nextNumber(), source: source, ranks: [:])
        }
        jobs[wish.key]!.ranks[viewer] = wish.rank
    }

    private func leave(_ viewer: TileViewer, _ number: Int) {
        guard let set = wanted[viewer], set.number == number else { return }
        wanted[viewer] = nil
        set.inbox?.close()
        for key in set.keys { giveUp(key, viewer) }
    }

    private func giveUp(_ key: TileKey, _ viewer: TileViewer) {
        guard jobs[key]?.ranks.removeValue(forKey: viewer) != nil, jobs[key]!.ranks.isEmpty else { return }
        jobs[key]!.task?.cancel()
        jobs[key] = nil
    }
}
