import CVips
import Foundation
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("Rendering")
struct ProcessTests {
    @Test("changes neither the environment nor the log handler of the process")
    func process() throws {
        let folder = try TemporaryFolder()
        let handler: GLogFunc = { _, _, _, _ in }
        let before = unsafe g_log_set_default_handler(handler, nil)
        let environment = ProcessInfo.processInfo.environment
        for saver in ["pngsave", "tiffsave", "webpsave"] {
            let path = folder.path(saver)
            try TestImages.photo(width: 211, height: 147).save(path, with: saver)
            let viewport = Viewport(imageRect: Rect(x: 20, y: 30, width: 90, height: 80), scale: 0.7)
            _ = try ViewportRenderer().renderSynchronously(viewport, of: ImageFile(path: path))
        }
        #expect(ProcessInfo.processInfo.environment == environment)
        let after = unsafe g_log_set_default_handler(before, nil)
        #expect(unsafe unsafeBitCast(after, to: Int.self) == unsafeBitCast(handler, to: Int.self))
    }
}
