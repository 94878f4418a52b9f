internal import Files

/// The folders of a user for files of this package.
///
/// Source: XDG Base Directory Specification 0.8.
enum UserFolder {
    case config, state

    /// The folder `viewport` in XDG_CONFIG_HOME or XDG_STATE_HOME, or in the usual place below the home folder.
    var path: String {
        let (variable, usual) =
            switch self {
            case .config: ("XDG_CONFIG_HOME", ".config")
            case .state: ("XDG_STATE_HOME", ".local/state")
            }
        // The specification requires that relative paths are ignored.
        if let home = ProcessEnvironment.variable(variable), FilePath(home).isAbsolute {
            return home + "/viewport"
        }
        return (ProcessEnvironment.variable("HOME") ?? "/tmp") + "/\(usual)/viewport"
    }
}
