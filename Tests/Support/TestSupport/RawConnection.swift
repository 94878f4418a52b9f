private import Platform

/// A client that can misbehave: disconnect early, send nothing, or read nothing.
package final class RawConnection {
    private let descriptor: Int32

    /// Connects to a server of this machine.
    ///
    /// - Parameter roomToReceive: The size of the system's receive buffer in bytes; nil for the default.
    package init(port: Int, roomToReceive: Int32? = nil) throws {
        #if canImport(Glibc)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        if var room = roomToReceive {
            // `room` is read by the call and outlives it.
            _ = unsafe setsockopt(
                descriptor, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        // The address is read by the call and outlives it.
        let isConnected = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw Refused() }
    }

    package struct Refused: Error {}

    /// Sends a request without waiting for the response.
    package func ask(_ target: String) {
        send("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    }

    /// Sends text unchanged.
    package func send(_ text: String) {
        let bytes = Array(text.utf8)
        // The bytes are read by the call and outlive it.
        #if canImport(Darwin)
        _ = unsafe Platform.send(descriptor, bytes, bytes.count, 0)
        #else
        _ = unsafe Platform.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
    }

    /// Receives at least one byte, or nothing if the connection is closed.
    ///
    /// Does not block a thread while it waits, because the server may need it.
    package func receive(atMost count: Int) async throws -> [UInt8] {
        while true {
            var mustWait = false
            // `recv` returns the number of bytes that it has written.
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                let got = unsafe recv(descriptor, buffer.baseAddress, count, Int32(MSG_DONTWAIT))
                mustWait = got < 0 && errno == EAGAIN
                filled = max(0, got)
            }
            guard mustWait else { return bytes }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Receives all bytes until the connection is closed.
    package func receiveAll() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let more = try await receive(atMost: 1 << 16)
            guard !more.isEmpty else { return bytes }
            bytes += more
        }
    }

    deinit { close(descriptor) }
}
