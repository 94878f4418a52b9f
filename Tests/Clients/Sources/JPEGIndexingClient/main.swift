import JPEGIndexing

let bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xD9]
do throws(JPEGIndexError) {
    let header = try JPEGHeader(bytes.span.bytes)
    let index = try JPEGIndex(bytes.span.bytes, header: header)
    print(index.interval)
} catch {
    // The error is typed, and describes itself.
    print(error.errorDescription ?? "")
}
