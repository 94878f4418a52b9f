import JPEGIndexing

let bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xD9]
do throws(JPEGIndexError) {
    let header = try JPEGHeader(bytes.span.bytes)
    let index = try JPEGIndex(bytes.span.bytes, header: header)
    print(index.interval)
} catch {
    // A typed error of the product, in its own words.
    print(error.errorDescription ?? "")
}
