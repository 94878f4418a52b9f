import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering

@Suite("Rendering from tasks")
struct AsyncRenderingTests {
    @Test("gives the same picture as rendering on the spot, however many tasks ask")
    func same() async throws {
        let folder = try TemporaryFolder()
        let file = try ScalingTests.file(folder)
        let viewport = Viewport(imageRect: Rect(x: 10, y: 20, width: 300, height: 200), scale: 0.3)
        let expected = try ViewportRenderer().renderSynchronously(viewport, of: file, progress: { _ in })
            .picture.bytes
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<20 {
                group.addTask { try await ViewportRenderer().render(viewport, of: file).picture.bytes }
            }
            for try await bytes in group { #expect(bytes == expected) }
        }
    }

    @Test("stops when its task is cancelled")
    func cancelled() async throws {
        let folder = try TemporaryFolder()
        let file = try ScalingTests.file(folder)
        let viewport = Viewport(imageRect: Rect(x: 0, y: 0, width: 400, height: 300), scale: 0.9)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await ViewportRenderer().render(viewport, of: file)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
