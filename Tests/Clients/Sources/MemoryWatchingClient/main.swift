import MemoryWatching

final class Cache: MemoryReleasing {
    var releasableByteCount: Int { 0 }
    func releaseMemory(under pressure: MemoryPressure) { print("releases at \(pressure)") }
}

let (memory, cache) = (MemoryWatch(), Cache())
memory.add(cache)
let observation = memory.onPressure { pressure in print(pressure) }
let run = Task { await memory.run() }
memory.report(.warning)
run.cancel()
await run.value
observation.cancel()
print(MemoryLimit.current?.byteCount ?? 0)
