import TilePyramid

let pyramid = Pyramid(size: PixelSize(width: 40_000, height: 30_000), halvings: 6)
let level = pyramid.level(forScale: 0.1)
print(level.index, level.size)

do throws(IIIFError) {
    let request = try IIIFRequest(parsing: "pct:25,25,50,50/800,/0/default.jpg")
    let picture = try request.resolved(for: PixelSize(width: 4000, height: 3000), IIIFLimits(area: 1 << 24))
    print(picture.region, picture.size)
} catch {
    print(error.errorDescription ?? "")
}
