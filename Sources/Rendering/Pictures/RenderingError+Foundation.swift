#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension RenderingError: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}
