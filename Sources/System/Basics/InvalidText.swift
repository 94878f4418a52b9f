/// Why a text is not understood, as the end of a sentence.
///
/// For a caller that knows where the text is from: it throws the error that names the file, the line or the option.
package struct InvalidText: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ reason: String) { description = reason }
}
