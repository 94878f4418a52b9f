import LibraryServing

for path in CommandLine.arguments.dropFirst() {
    let library = try await PhotoLibrary.open(path)
    var configuration = TileServer.Configuration(roots: [path])
    configuration.port = 0
    let server = try TileServer(configuration, extensions: [.photoLibraries([library])])
    try await server.run()
}
