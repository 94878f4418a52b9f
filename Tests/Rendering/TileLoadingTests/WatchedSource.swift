import Foundation
import Synchronization
import TilePyramid
import ViewportGeometry
import ViewportRendering

/// A source that records reads, and blocks reads of closed levels until they are opened.
final class WatchedSource: ImageSource {
    struct Read: Equatable {
        var level: Int
        var rect: PixelRect<StoredGrid>
    }

    let base: any ImageSource
    private let notes = Mutex([Read]())
    private let gate = NSCondition()
    private let shut: Mutex<Set<Int>>
    /// The number of reads that may pass closed levels.
    private let permits = Mutex(0)

    init(_ base: any ImageSource, shut: Set<Int> = []) {
        self.base = base
        self.shut = Mutex(shut)
    }

    var reads: [Read] { notes.withLock { $0 } }

    /// Opens all levels.
    func open() {
        gate.lock()
        shut.withLock { $0 = [] }
        gate.broadcast()
        gate.unlock()
    }

    /// Lets one read of a closed level pass.
    func letOnePass() {
        gate.lock()
        permits.withLock { $0 += 1 }
        gate.signal()
        gate.unlock()
    }

    var description: String { base.description }
    var pyramid: Pyramid { base.pyramid }
    var capabilities: SourceCapabilities { base.capabilities }
    func sharpeningCompensation(of level: PyramidLevel) -> Double { base.sharpeningCompensation(of: level) }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        Level(reader: try base.open(level), source: self)
    }

    private func pass(_ read: Read) {
        notes.withLock { $0.append(read) }
        gate.lock()
        while shut.withLock({ $0.contains(read.level) }), !takePermit() { gate.wait() }
        gate.unlock()
    }

    private func takePermit() -> Bool {
        permits.withLock { left in
            defer { left = max(0, left - 1) }
            return left > 0
        }
    }

    private struct Level: LevelReader {
        let reader: any LevelReader
        let source: WatchedSource
        var level: PyramidLevel { reader.level }
        var pixels: SourcePixelFormat { reader.pixels }

        func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
            source.pass(Read(level: level.index, rect: rect))
            try reader.read(rect, row: row)
        }
    }
}
