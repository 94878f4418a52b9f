#if CommandLine
import ArgumentParser
import Files
import ViewportRendering

/// `render` with the defaults of another word.
private protocol EditCommand: AsyncParsableCommand {
    var edit: RenderCommand { get }
}

extension EditCommand {
    func run() async throws { try await edit.run() }
}

/// `viewport convert`: a whole image at full size, in another format.
struct ConvertCommand: EditCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Write a whole image at full size in another format.",
        discussion: """
            The same as `render --zoom 1 --keep-metadata --color keep --depth keep`: pixels,
            colors, metadata and an HDR gain map stay as far as the format holds them. The
            image is upright. Animations keep all frames in png, webp and gif, unless --page
            names one.
            """,
        examples: [
            "viewport convert scan.tif scan.png": "One file",
            "viewport convert *.tif --format webp -q 90 -o web/": "Many files into a folder",
            "viewport convert scans --recursive --format jpg -o 'out/{dir}/{stem}.jpg'":
                "All images below a folder",
        ])

    @OptionGroup var edit: RenderCommand

    mutating func validate() throws {
        guard edit.picture.formats != nil || edit.picture.output.map({ !OutputName.isFolder($0) }) ?? false
        else {
            throw ValidationError("give the name of the output, such as photo.webp, or --format")
        }
        if edit.region.isEmpty { edit.region.zoom = ScaleArgument(argument: "1") }
        edit.keepWhatItHas(.conversion)
    }
}

/// `viewport crop`: a rectangle of an image at full size.
struct CropCommand: EditCommand {
    static let configuration = CommandConfiguration(
        commandName: "crop",
        abstract: "Cut a rectangle out of an image.",
        discussion: """
            The same as `render --rect`, in the format of the image, with its colors, depth,
            metadata, HDR gain map and all frames of an animation. --lossless copies the blocks
            of a JPEG without decoding them.
            """,
        examples: [
            "viewport crop big.jpg 900,700,1500,900 part.jpg": "X,Y,W,H in image points; or 1500x900+900+700",
            "viewport crop *.jpg --crop-size 512x512 -o crops/": "The middle of many images",
            "viewport crop big.jpg --rect 900,700,1500,900 -s 50% -o part.png": "The same at half size",
        ])

    @OptionGroup var edit: RenderCommand

    mutating func validate() throws {
        guard edit.region.rect != nil || edit.region.cropSize != nil || edit.inputs.course.manifest != nil
        else {
            throw ValidationError(
                "give the rectangle: X,Y,W,H or WxH+X+Y in image points, or --crop-size WxH")
        }
        edit.keepWhatItHas()
    }
}

/// `viewport resize`: an image at another size.
struct ResizeCommand: EditCommand {
    static let configuration = CommandConfiguration(
        commandName: "resize",
        abstract: "Scale an image to another size.",
        discussion: """
            The same as `render --size`, in the format of the image, with its colors, depth,
            metadata, HDR gain map and all frames of an animation. The image keeps its aspect
            ratio and is fitted into the size.
            """,
        examples: [
            "viewport resize photo.jpg 1600x1200 small.jpg": "Fitted into a size; also 50%, 1600x or x1200",
            "viewport resize *.jpg -s 2000 -o web/": "Many files into a folder",
            "viewport resize photo.jpg 800x600 filled.jpg --content-mode scaleAspectFill":
                "Filled, what is too much is cut off",
        ])

    @OptionGroup var edit: RenderCommand

    mutating func validate() throws {
        let region = edit.region
        guard !region.sizes.isEmpty || region.zoom != nil || edit.inputs.course.manifest != nil else {
            throw ValidationError("give the size: WxH, W, Wx, xH or a percentage, for example 50%")
        }
        edit.keepWhatItHas()
    }
}

extension RenderCommand {
    /// Keeps colors, depth, metadata and gain map where no option says otherwise, and as an edit the format of the image.
    fileprivate mutating func keepWhatItHas(_ rule: PictureArguments.NameRule = .edit) {
        picture.keepMetadata = picture.keepMetadata ?? .all
        picture.givenColor = picture.givenColor ?? .keep
        picture.givenDepth = picture.givenDepth ?? .keep
        picture.nameRule = rule
        if rule == .edit, inputs.isOne, picture.formats == nil,
            picture.output.map(OutputName.isForAnyFormat) ?? true
        {
            picture.format = OutputName.pictureFormat(of: image)
        }
    }
}
#endif
