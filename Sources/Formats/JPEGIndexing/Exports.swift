// `JPEGIndex.saved(for:header:)` takes the identity of a file.
@_exported public import Files
