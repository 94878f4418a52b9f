import Files
import JPEGIndexing
import Sidecars
import ViewportGeometry

// The functions that a page calls to show parts of one large JPEG: which bytes of the file a part needs, and the small
// JPEG that is made of them. This folder is not a target of the package; `.ci/build-web` compiles it together with
// `Regions` of `Sources/Formats/JPEGIndexing` for wasm32, and once more with `Progressive`, too. An instance of the module is
// one image.
//
// The page passes bytes in a buffer that `image_buffer` allocates. Results are below zero for errors, see `Failure`.
// Numbers come back as 64-bit floating-point numbers at `image_numbers`, bytes at `image_output`.

/// What went wrong, as the results that pages understand.
private enum Failure: Int32 {
    /// The sidecar is none, or is of another version.
    case foreign = -1
    /// The sidecar or the image is damaged, or they do not belong together.
    case damaged = -2
    /// The kind of the image cannot be cut.
    case unsupported = -3
    /// The rectangle is outside of the image, or a function was called before the one that it needs.
    case outside = -4
}

/// The image of this instance.
private struct Image {
    let directory: SidecarDirectory
    let header: Header?
    var reader: Reader?
    /// The parts of the rectangle that was planned last.
    var planned: [Range<Int>] = []
}

// A WebAssembly instance has one thread. Stored as nil, it needs no initializer at run time.
nonisolated(unsafe) private var image: Image?
nonisolated(unsafe) private var input = UnsafeMutableRawBufferPointer(start: nil, count: 0)
nonisolated(unsafe) private var output: [UInt8]?
nonisolated(unsafe) private var numbers: [Double]?

/// Returns the address of a buffer of some bytes, which is valid until the next call of this function.
@_cdecl("image_buffer") @_expose(wasm, "image_buffer")
public func allocateBuffer(_ count: Int32) -> UnsafeMutableRawPointer? {
    input.deallocate()
    input = .allocate(byteCount: max(1, Int(count)), alignment: 16)
    return input.baseAddress
}

/// The numbers of the last call.
@_cdecl("image_numbers") @_expose(wasm, "image_numbers")
public func numbersAddress() -> UnsafeRawPointer? {
    numbers?.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
}

/// The bytes of the last call.
@_cdecl("image_output") @_expose(wasm, "image_output")
public func outputAddress() -> UnsafeRawPointer? {
    output?.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
}

/// Reads the directory of a sidecar from its first bytes, which are in the buffer.
///
/// Returns 0, or how many bytes the directory has if these are fewer.
@_cdecl("image_open") @_expose(wasm, "image_open")
public func open(_ size: Double, _ length: Int32) -> Int32 {
    let head = bytes(length)
    do throws(SidecarError) {
        let needed = try SidecarDirectory.length(head)
        guard needed <= head.count else { return Int32(clamping: needed) }
        let directory = try SidecarDirectory(head, count: Int(size))
        image = Image(directory: directory, header: Header(directory))
        return 0
    } catch {
        return (error == .foreign ? Failure.foreign : .damaged).rawValue
    }
}

/// Gives the image: kind, width and height as stored, orientation, bytes of the file; begin and end of the index in the
/// sidecar; side of a tile; begin and end of the three blocks of the file that `image_verify` compares.
@_cdecl("image_facts") @_expose(wasm, "image_facts")
public func facts() -> Int32 {
    guard let directory = image?.directory else { return Failure.outside.rawValue }
    // TIFFs may be larger than the integers of this machine.
    let size = directory.identity.fingerprint.size
    let values = [
        Int(directory.kind.rawValue), directory.size.width, directory.size.height,
        directory.orientation.rawValue,
    ]
    let places = [directory.index.lowerBound, directory.index.upperBound, directory.tileSide]
    let blocks = SidecarIdentity.blocks(of: size).flatMap { [$0.lowerBound, $0.upperBound] }
    numbers =
        values.map { Double($0) } + [Double(size)] + places.map { Double($0) } + blocks.map { Double($0) }
    return Int32(numbers?.count ?? 0)
}

/// Gives a small level, from the smallest on: denominator, width, height, columns, rows; returns 0 behind the last.
@_cdecl("image_level") @_expose(wasm, "image_level")
public func level(_ number: Int32) -> Int32 {
    guard let levels = image?.directory.levels, levels.indices.contains(Int(number)) else { return 0 }
    let level = levels[Int(number)]
    return report([level.denominator, level.size.width, level.size.height, level.columns, level.rows])
}

/// Gives the begin and the end of a tile of a small level in the sidecar.
@_cdecl("image_tile") @_expose(wasm, "image_tile")
public func tile(_ level: Int32, _ column: Int32, _ row: Int32) -> Int32 {
    guard let tile = tile(level, column, row) else { return Failure.outside.rawValue }
    return report([tile.range.lowerBound, tile.range.upperBound])
}

/// Checks the bytes of a tile, which are in the buffer, and puts out the JPEG with the color profile of the image.
@_cdecl("image_tile_jpeg") @_expose(wasm, "image_tile_jpeg")
public func tileJPEG(_ level: Int32, _ column: Int32, _ row: Int32, _ length: Int32) -> Int32 {
    guard let image, let tile = tile(level, column, row) else { return Failure.outside.rawValue }
    let jpeg = bytes(length)
    guard SidecarLevel.checksum(jpeg) == tile.checksum, jpeg.count > 2 else {
        return Failure.damaged.rawValue
    }
    let profile = image.directory.segments.filter { isProfile($0.bytes) }.flatMap { $0.bytes }
    return put(jpeg[..<2] + profile + jpeg[2...])
}

/// Compares the three blocks of the file, which are in the buffer, with the sidecar; returns 1 if they are equal.
@_cdecl("image_verify") @_expose(wasm, "image_verify")
public func verify(_ length: Int32) -> Int32 {
    guard let expected = image?.directory.identity else { return Failure.outside.rawValue }
    return SidecarIdentity(size: expected.fingerprint.size, blocks: bytes(length)) == expected ? 1 : 0
}

/// Reads the index of a JPEG, which is in the buffer; of a TIFF, checks the list of its tiles.
@_cdecl("image_index") @_expose(wasm, "image_index")
public func readIndex(_ length: Int32) -> Int32 {
    if image?.directory.kind == .tiledTIFF {
        return SidecarIndex.isWhole(bytes(length)) ? 0 : Failure.damaged.rawValue
    }
    guard let header = image?.header, let identity = image?.directory.identity.fingerprint else {
        return Failure.unsupported.rawValue
    }
    do throws(JPEGIndexError) {
        image?.reader = try Reader(header, index: bytes(length), identity)
        return 0
    } catch {
        return Failure.damaged.rawValue
    }
}

/// Gives the ranges of the file that a rectangle needs, two numbers each.
@_cdecl("image_plan") @_expose(wasm, "image_plan")
public func plan(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Int32 {
    guard let image, let reader = image.reader else { return Failure.outside.rawValue }
    do throws(JPEGIndexError) {
        let ranges = try reader.byteRanges(
            of: rect(x, y, width, height), fileSize: image.directory.identity.size)
        return report(ranges.flatMap { [$0.lowerBound, $0.upperBound] })
    } catch {
        return failure(error)
    }
}

/// Puts out the JPEG of a rectangle; gives the rectangle's place in it: x, y, width, height.
///
/// The buffer has the ranges that `image_plan` gave for the same rectangle, one behind the other.
@_cdecl("image_region") @_expose(wasm, "image_region")
public func region(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ length: Int32) -> Int32 {
    guard let image, let reader = image.reader else { return Failure.outside.rawValue }
    let directory = image.directory
    let rect = rect(x, y, width, height)
    do throws(JPEGIndexError) {
        let ranges = try reader.byteRanges(of: rect, fileSize: directory.identity.size)
        let file = Pieces(of: directory, ranges, bytes(length))
        let profiles = directory.segments.filter { isProfile($0.bytes) }.map { $0.position }
        let region = try reader.region(rect, of: file, keeping: { profiles.contains($0.range.lowerBound) })
        let crop = region.crop
        guard report([crop.x, crop.y, crop.width, crop.height]) > 0 else { return Failure.damaged.rawValue }
        return put(region.jpeg[...])
    } catch {
        return failure(error)
    }
}

private func failure(_ error: JPEGIndexError) -> Int32 {
    if case .outside = error { return Failure.outside.rawValue }
    return Failure.damaged.rawValue
}

private func rect(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> PixelRect<ReducedGrid> {
    func whole(_ value: Double) -> Int { value.isFinite ? Int(max(-1e9, min(value, 1e9))) : 0 }
    return PixelRect(x: whole(x), y: whole(y), width: whole(width), height: whole(height))
}

private func tile(_ level: Int32, _ column: Int32, _ row: Int32) -> SidecarLevel.Tile? {
    guard let levels = image?.directory.levels, levels.indices.contains(Int(level)) else { return nil }
    let level = levels[Int(level)]
    guard (0..<level.columns).contains(Int(column)), (0..<level.rows).contains(Int(row)) else { return nil }
    return level.tile(column: Int(column), row: Int(row))
}

/// Whether a segment is a part of an ICC profile.
private func isProfile(_ segment: [UInt8]) -> Bool {
    segment.count > 16 && segment[0] == 0xFF && segment[1] == 0xE2
        && segment[4...].starts(with: [0x49, 0x43, 0x43, 0x5F, 0x50, 0x52, 0x4F, 0x46, 0x49, 0x4C, 0x45, 0])
}

/// A copy of the first bytes of the buffer.
private func bytes(_ length: Int32) -> [UInt8] { Array(input.prefix(max(0, Int(length)))) }

/// Keeps numbers for the page and returns how many they are.
private func report(_ values: [Int]) -> Int32 {
    numbers = values.map { Double($0) }
    return Int32(values.count)
}

/// Keeps bytes for the page and returns how many they are.
private func put(_ bytes: ArraySlice<UInt8>) -> Int32 {
    output = Array(bytes)
    return Int32(bytes.count)
}
