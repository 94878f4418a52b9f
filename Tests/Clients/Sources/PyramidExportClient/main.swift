import PyramidExport

if CommandLine.arguments.count > 1 {
    let file = try ImageFile(path: CommandLine.arguments[1])
    let exporter = PyramidExporter(options: ExportOptions(.dz))
    let report = try await exporter.export(file, to: "pyramid.dzi") { progress in
        print("\(Int(100 * progress.fraction)) %")
    }
    print(report.tiles, report.levelSizes.first?.width ?? 0)
}
