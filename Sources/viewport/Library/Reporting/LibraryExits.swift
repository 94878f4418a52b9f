import PhotoCatalog

/// Errors of the library, with the codes that the process ends with.
extension LibraryError: ExitCoded {
    var exit: Exit {
        switch self {
        case .missing, .noRoot, .noAlbum, .noAsset: .noInput
        case .damaged, .newer: .badInput
        case .exists, .outside, .albumExists: .usage
        case .inaccessible: .cannotWrite
        case .busy, .indexing, .cancelled: .tryAgain
        case .refused: .software
        }
    }
}

extension ImportError: ExitCoded {
    var exit: Exit {
        switch self {
        case .layout, .inside: .usage
        case .noSource: .noInput
        case .importing: .tryAgain
        case .unwritable, .noRoom: .cannotWrite
        case .library(let error): error.exit
        }
    }
}

extension GPXError: ExitCoded {
    var exit: Exit {
        if case .unreadable = self { .noInput } else { .badInput }
    }
}

extension PlacesError: ExitCoded {
    var exit: Exit {
        switch self {
        case .unreadable: .noInput
        case .noPlaces: .badInput
        case .unwritable: .cannotWrite
        }
    }
}
