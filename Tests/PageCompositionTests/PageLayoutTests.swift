import Testing

@testable import PageComposition
