/// A text is no JSON from this byte on.
package struct JSONSyntaxError: Error, Hashable, Sendable {
    package var offset: Int
}
