#if !CommandLine
import Platform

/// What is left of the program without the trait `CommandLine`, for packages whose builds compile all targets.
@main
enum WithoutCommandLine {
    static func main() {
        print("viewport: this build lacks the trait CommandLine")
        exit(69)
    }
}
#endif
