import Thumbnails

let recipe = ThumbnailRecipe(sizes: [try ThumbnailSize("256"), try ThumbnailSize("1024x768")], format: .jpg)
for path in CommandLine.arguments.dropFirst() {
    do {
        let made = try await ThumbnailMaker(recipe).make(path)
        print(made.width, made.height, made.thumbnails.map(\.bytes.count))
    } catch {
        print(error)
    }
}
