private import Platform

/// The files in which Linux describes the machine and the limits of the process.
///
/// Sources: cgroups(7), proc(5), and the kernel's admin-guide/cgroup-v2.rst.
package struct SystemFiles: Sendable {
    /// The folder that contains `proc` and `sys`: "" for the system's, another one for tests.
    package let root: String

    package init(root: String = "") {
        self.root = root
    }

    // MARK: Control groups

    /// A folder of a controller.
    package struct ControlGroup: Sendable {
        /// Whether it belongs to version 2.
        package let isUnified: Bool
        /// The bytes of the path: names of groups need not be UTF-8.
        private let folder: [UInt8]

        fileprivate init(_ folder: [UInt8], isUnified: Bool) {
            self.folder = folder
            self.isUnified = isUnified
        }

        /// Returns the bytes of the path of a file in the folder.
        package func path(of name: String) -> [UInt8] { folder + Array("/\(name)".utf8) }

        /// The text of a file in the folder; empty if it cannot be read.
        package func text(_ name: String) -> String {
            String(decoding: SystemFiles.bytes(path(of: name)), as: UTF8.self)
        }
    }

    /// The cgroups of the process with a controller, from its own up to the root: the limit of each applies.
    ///
    /// In a container, the path is often that of the host, and only the root is mounted.
    ///
    /// - Parameter mounts: The names of folders below /sys/fs/cgroup in which version 1 may mount the controller.
    package func controlGroups(of controller: String, in mounts: [String]) -> [ControlGroup] {
        let lines = Self.bytes(Array("\(root)/proc/self/cgroup".utf8)).split(separator: 0x0A).map {
            $0.split(separator: 0x3A, maxSplits: 2, omittingEmptySubsequences: false)
        }
        return lines.filter { $0.count == 3 }.flatMap { line -> [ControlGroup] in
            let controllers = line[1].split(separator: 0x2C)
            let isUnified = line[0].elementsEqual([0x30]) && controllers.isEmpty
            guard isUnified || controllers.contains(where: { $0.elementsEqual(controller.utf8) }) else {
                return []
            }
            let names = line[2].split(separator: 0x2F)
            return (isUnified ? [""] : mounts.map { "/" + $0 }).flatMap { mount in
                (0...names.count).reversed().map { count in
                    let start = Array("\(root)/sys/fs/cgroup\(mount)".utf8)
                    return ControlGroup(
                        names.prefix(count).reduce(start) { $0 + [0x2F] + $1 }, isUnified: isUnified)
                }
            }
        }
    }

    // MARK: Text

    /// The text of a file below `/proc` or `/sys`; empty if it cannot be read.
    package func text(_ path: String) -> String {
        String(decoding: Self.bytes(Array((root + path).utf8)), as: UTF8.self)
    }

    /// The word after `name` at the start of a line.
    package static func value(of name: String, in text: String) -> Substring? {
        for line in text.split(separator: "\n") {
            let words = line.split { $0.isWhitespace }
            if words.count > 1, words[0] == name { return words[1] }
        }
        return nil
    }

    /// The bytes of a file, read to its end because these files have no size; empty if it cannot be read.
    fileprivate static func bytes(_ path: [UInt8]) -> [UInt8] {
        let cPath = (path + [0]).map(CChar.init(bitPattern:))
        // The path ends with a zero and outlives the call.
        let descriptor = unsafe open(cPath, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 12)
        while true {
            // The call writes at most `count` bytes.
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += buffer.prefix(count)
        }
    }
}
