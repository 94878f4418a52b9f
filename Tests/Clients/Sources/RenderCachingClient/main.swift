import RenderCaching

let folder = CacheFolder(capacity: 1 << 30)
print(folder.path, folder.items().count)
if CommandLine.arguments.count > 1 {
    let file = try ImageFile(path: CommandLine.arguments[1])
    print(IndexCache(folder: folder).existing(file)?.reading ?? file.reading)
}
