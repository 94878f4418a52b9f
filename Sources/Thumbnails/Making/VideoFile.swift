/// x
struct VideoFile {
    init?(_ path: String) { return nil }
    func withFrame<R>(_ body: (String) throws -> R) throws -> R { fatalError() }
}
