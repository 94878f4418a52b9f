extension VipsImage {
    /// An operation with this image as its input.
    package func operation(_ nickname: String) throws(VipsError) -> VipsOperation {
        let operation = try VipsOperation(nickname)
        try operation.set("in", .image(self))
        return operation
    }
}
