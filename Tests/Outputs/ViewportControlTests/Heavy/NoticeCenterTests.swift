import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing
import ViewportControl

private struct Number: Notice { var value: Int }
private struct Word: Notice { var text: String }

private final class Log: Sendable {
    private let entries = Mutex([String]())

    func add(_ entry: String) { entries.withLock { $0.append(entry) } }
    var all: [String] { entries.withLock { $0 } }
    func take() -> [String] {
        entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
    }
}

@Suite("A notice center")
struct NoticeCenterTests {
    @Test("delivers to the observers of the type, in the order in which they began, before post returns")
    func order() {
        let (center, pool, log) = (NoticeCenter(), ObservationPool(), Log())
        for name in ["a", "b"] { center.observe(Number.self, in: pool) { log.add("\(name) \($0.value)") } }
        center.observe(Word.self, in: pool) { log.add("word \($0.text)") }
        center.post(Number(value: 1))
        center.post(Word(text: "x"))
        #expect(log.take() == ["a 1", "b 1", "word x"])
        #expect(center.observerCount(of: Number.self) == 2 && pool.count == 3)
        pool.end()
        center.post(Number(value: 2))
        #expect(log.take().isEmpty && center.observerCount(of: Number.self) == 0)
    }

    @Test("ends observers when their pool is released, also within a notice")
    func pools() {
        let (center, log) = (NoticeCenter(), Log())
        let held = Mutex<ObservationPool?>(ObservationPool())
        let other = ObservationPool()
        // The first ends the second during the notice.
        center.observe(Number.self, in: other) { _ in held.withLock { $0 = nil } }
        held.withLock { center.observe(Number.self, in: $0!) { _ in log.add("second") } }
        center.post(Number(value: 1))
        #expect(log.all.isEmpty && center.observerCount(of: Number.self) == 1)
    }

    @Test("delivers a notice that an observer posts before the rest of the first one")
    func nested() {
        let (center, pool, log) = (NoticeCenter(), ObservationPool(), Log())
        center.observe(Number.self, in: pool) { notice in
            log.add("a\(notice.value)")
            if notice.value < 3 { center.post(Number(value: notice.value + 1)) }
        }
        center.observe(Number.self, in: pool) { log.add("b\($0.value)") }
        center.post(Number(value: 1))
        #expect(log.all == ["a1", "a2", "a3", "b3", "b2", "b1"])
    }

    @Test("gives an observer that is added during a notice the next one")
    func added() {
        let (center, pool, log) = (NoticeCenter(), ObservationPool(), Log())
        center.observe(Number.self, in: pool) { notice in
            center.observe(Number.self, in: pool) { log.add("\(notice.value) saw \($0.value)") }
        }
        center.post(Number(value: 1))
        #expect(log.take().isEmpty)
        center.post(Number(value: 2))
        #expect(log.take() == ["1 saw 2"])
    }

    @Test(
        "delivers as a plain list of observers would, over random operations",
        arguments: 0..<30 as Range<UInt64>)
    func random(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let (center, log) = (NoticeCenter(), Log())
        var pools: [(id: Int, pool: ObservationPool, isNumber: Bool)] = []
        for step in 0..<200 {
            switch random.next() % 4 {
            case 0:
                let (pool, isNumber) = (ObservationPool(), random.next() % 2 == 0)
                if isNumber {
                    center.observe(Number.self, in: pool) { log.add("\(step) \($0.value)") }
                } else {
                    center.observe(Word.self, in: pool) { log.add("\(step) \($0.text)") }
                }
                pools.append((step, pool, isNumber))
            case 1 where !pools.isEmpty:
                pools.remove(at: Int(random.next() % UInt64(pools.count)))
            case 2:
                center.post(Number(value: step))
                #expect(log.take() == pools.filter(\.isNumber).map { "\($0.id) \(step)" })
            default:
                center.post(Word(text: "w"))
                #expect(log.take() == pools.filter { !$0.isNumber }.map { "\($0.id) w" })
            }
        }
    }

    @Test("delivers concurrent notices once each, those of one thread in order")
    func concurrent() async {
        let (center, pool, log) = (NoticeCenter(), ObservationPool(), Log())
        center.observe(Number.self, in: pool) { log.add("\($0.value)") }
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for count in 0..<500 {
                        center.post(Number(value: thread * 1000 + count))
                        // Observers come and go meanwhile.
                        let short = ObservationPool()
                        center.observe(Number.self, in: short) { _ in }
                    }
                }
            }
        }
        let values = log.all.compactMap { Int($0) }
        #expect(values.count == 2000 && Set(values).count == 2000)
        for thread in 0..<4 {
            #expect(values.filter { $0 / 1000 == thread } == (0..<500).map { thread * 1000 + $0 })
        }
        #expect(center.observerCount(of: Number.self) == 1)
    }

    @Test("delivers on a queue in order, and not after the pool has ended")
    func queue() async {
        let (center, pool, log) = (NoticeCenter(), ObservationPool(), Log())
        let queue = DispatchQueue(label: "notices")
        center.observe(Number.self, on: queue, in: pool) { notice in
            dispatchPrecondition(condition: .onQueue(queue))
            log.add("\(notice.value)")
        }
        for value in 0..<100 { center.post(Number(value: value)) }
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(log.take() == (0..<100).map { "\($0)" })
        queue.suspend()
        center.post(Number(value: 100))
        pool.end()
        queue.resume()
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(log.take().isEmpty)
    }

    private actor Counter {
        var values: [Int] = []
        private var waiting: CheckedContinuation<Void, Never>?
        private var goal = Int.max

        func add(_ value: Int) {
            values.append(value)
            if values.count == goal { waiting?.resume() }
        }
        func wait(for count: Int) async {
            goal = count
            guard values.count < count else { return }
            await withCheckedContinuation { waiting = $0 }
        }
    }

    @Test("delivers on an actor, all notices in order")
    func actor() async {
        let (center, pool, counter) = (NoticeCenter(), ObservationPool(), Counter())
        center.observe(Number.self, on: counter, in: pool) { counter, notice in counter.add(notice.value) }
        for value in 0..<1000 { center.post(Number(value: value)) }
        await counter.wait(for: 1000)
        #expect(await counter.values == Array(0..<1000))
    }

    @Test("gives a task the newest notices, and ends with it")
    func task() async {
        let center = NoticeCenter()
        let notices = center.notices(of: Number.self, buffering: 3)
        for value in 0..<10 { center.post(Number(value: value)) }
        let task = Task {
            var values: [Int] = []
            for await notice in notices {
                values.append(notice.value)
                if notice.value == 9 { break }
            }
            return values
        }
        #expect(await task.value == [7, 8, 9])
        let endless = Task { for await _ in center.notices(of: Word.self) {} }
        while center.observerCount(of: Word.self) == 0 { await Task.yield() }
        endless.cancel()
        await endless.value
        #expect(center.observerCount(of: Word.self) == 0)
    }
}

private struct NameChanged: NotificationNotice, Equatable {
    static let notificationName = Notification.Name("viewport-test-name-changed")
    var name: String

    init(name: String) { self.name = name }
    init?(_ notification: Notification) {
        guard let name = notification.userInfo?["name"] as? String else { return nil }
        self.name = name
    }
    var userInfo: [AnyHashable: any Sendable] { ["name": name] }
}

@Suite("A bridge to Foundation's notifications")
struct NotificationBridgeTests {
    @Test("exchanges notices and notifications, each once")
    func both() {
        let (center, pool, log) = (NoticeCenter(), ObservationPool(), Log())
        let notifications = NotificationCenter()
        center.bridge(NameChanged.self, with: notifications, in: pool)
        center.observe(NameChanged.self, in: pool) { log.add("notice \($0.name)") }
        let token = notifications.addObserver(
            forName: NameChanged.notificationName, object: nil, queue: nil
        ) { log.add("notification \(NameChanged($0)?.name ?? "?")") }
        defer { notifications.removeObserver(token) }
        center.post(NameChanged(name: "a"))
        #expect(log.take() == ["notification a", "notice a"])
        notifications.post(name: NameChanged.notificationName, object: nil, userInfo: ["name": "b"])
        #expect(log.take().sorted() == ["notice b", "notification b"])
        // Without the payload it is no notice.
        notifications.post(name: NameChanged.notificationName, object: nil)
        #expect(log.take() == ["notification ?"])
        pool.end()
        notifications.post(name: NameChanged.notificationName, object: nil, userInfo: ["name": "c"])
        center.post(NameChanged(name: "d"))
        #expect(log.take() == ["notification c"])
    }

    @Test("connects two centers through one notification center without echoes")
    func two() {
        let (a, b, pool, log) = (NoticeCenter(), NoticeCenter(), ObservationPool(), Log())
        let notifications = NotificationCenter()
        for (name, center) in [("a", a), ("b", b)] {
            center.bridge(NameChanged.self, with: notifications, in: pool)
            center.observe(NameChanged.self, in: pool) { log.add("\(name) \($0.name)") }
        }
        a.post(NameChanged(name: "x"))
        #expect(log.take().sorted() == ["a x", "b x"])
        b.post(NameChanged(name: "y"))
        #expect(log.take().sorted() == ["a y", "b y"])
    }
}
