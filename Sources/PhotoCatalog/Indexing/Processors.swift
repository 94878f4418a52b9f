internal import Foundation

/// The processors of the machine.
enum Processors {
    static let count = max(1, ProcessInfo.processInfo.activeProcessorCount)
}
