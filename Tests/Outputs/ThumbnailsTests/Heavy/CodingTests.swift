import TestSupport
import Testing
import Thumbnails

@Suite("Recipes and thumbnails as text")
struct CodingTests {
    private static var recipe: ThumbnailRecipe {
        get throws {
            var recipe = ThumbnailRecipe(sizes: [ThumbnailSize(256), try ThumbnailSize("1024x768!")])
            (recipe.crop, recipe.format, recipe.quality, recipe.frames) = (.entropy, .webp, 80, .number(3))
            (recipe.isLinear, recipe.makesPlaceholder, recipe.threads) = (true, true, 4)
            return recipe
        }
    }

    @Test("are equal after encoding and decoding, with equal hashes")
    func coding() throws {
        #expect(try CodedValue(Self.recipe).isKept)
        #expect(try CodedValue(ThumbnailRecipe(sizes: [])).isKept)
        #expect(try CodedValue([ThumbnailRecipe.Frames.first, .all, .number(0)]).isKept)
        #expect(try encoded(Self.recipe.sizes) == #"["256","1024x768!"]"#)
    }

    @Test("have defaults for what is missing")
    func defaults() throws {
        #expect(
            try decoded(ThumbnailRecipe.self, #"{"sizes":["256"]}"#)
                == ThumbnailRecipe(sizes: [ThumbnailSize(256)]))
    }

    @Test(
        "reject what is invalid",
        arguments: [
            "{}", #"{"sizes":["0"]}"#, #"{"sizes":[256]}"#, #"{"sizes":[],"frames":"-1"}"#,
            #"{"sizes":[],"crop":"middle"}"#,
        ])
    func rejection(_ json: String) {
        #expect(throws: DecodingError.self) { try decoded(ThumbnailRecipe.self, json) }
    }
}
