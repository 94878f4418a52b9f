import JPEGIndexing

let bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xD9]
do {
    let index = try JPEGIndex(bytes.span.bytes)
    print(index.interval)
} catch {
    // A typed error of the product, in its own words.
    print(error.errorDescription ?? "")
}
