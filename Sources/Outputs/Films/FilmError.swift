/// Why a film cannot be written.
package enum FilmError: Error, Equatable, Sendable {
    /// The file extension is that of another kind of file.
    case unknownForm(output: String)
    /// A video, and ffmpeg is not installed.
    case noFFmpeg(file: String)
    /// The frames of a video have different sizes.
    case sizes(file: String)
    /// ffmpeg has failed, with its last message.
    case ffmpeg(file: String, said: String)
    /// A folder has frames after the end of the film.
    case longer(folder: String, frame: String, count: Int)
    /// A frame in the folder is not of this film.
    case otherFilm(frame: String)
}

extension FilmError: CustomStringConvertible {
    /// One sentence that names the file and the cause.
    package var description: String {
        switch self {
        case .unknownForm(let output):
            "\(output): a film is .webp, .gif, .png, .apng, .mp4, .mov, .mkv, .webm or a folder of PNG files"
        case .noFFmpeg(let file):
            "\(file): writing a video needs ffmpeg, which is not installed"
        case .sizes(let file):
            "\(file): all frames of a video need one size, but the script changes the bounds"
        case .ffmpeg(let file, let said):
            "\(file): ffmpeg cannot write it (\(said))"
        case .longer(let folder, let frame, let count):
            "\(folder): has \(frame), but the film has \(count) frames"
        case .otherFilm(let frame):
            "\(frame): is a frame of another film"
        }
    }
}
