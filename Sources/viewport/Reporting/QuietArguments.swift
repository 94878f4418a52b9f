import ArgumentParser

/// Whether a command says more than its results and its errors.
struct QuietArguments: ParsableArguments {
    @Flag(help: "Print results and errors alone: no progress, no notes, no summaries.")
    var quiet = false

    func validate() { StandardError.isQuiet = quiet }
}

/// Prints a sentence for people that is no result; --quiet leaves it out.
func say(_ sentence: String) {
    if !StandardError.isQuiet { print(sentence) }
}
