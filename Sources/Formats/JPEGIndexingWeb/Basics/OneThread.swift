// What the decoders need of Basics, for a machine with one thread: `.ci/build-web` compiles this file in place of the
// ones of the same types.

/// A value that is made when it is first needed.
// There is one thread.
package final class Once<Value: Sendable>: @unchecked Sendable {
    private var kept: Value?

    package init() {}

    /// Returns the value, and makes it unless it is made.
    package func valueEvenIfCancelled<E: Error>(_ make: () throws(E) -> Value) throws(E) -> Value {
        if let kept { return kept }
        let value = try make()
        kept = value
        return value
    }
}

/// The only processor.
package enum Processors {
    /// Calls a closure with each number below `threads`.
    package static func run(threads: Int, _ body: @Sendable (Int) -> Void) {
        for number in 0..<threads { body(number) }
    }
}
