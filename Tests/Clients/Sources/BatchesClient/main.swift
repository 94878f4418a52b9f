import Batches

var batch = try RenderBatch(name: "top left", output: "parts/{dir}/{stem}.png") { _ in
    Viewport(imageRect: Rect(x: 0, y: 0, width: 512, height: 512), scale: 1)
}
batch.options.log = "done.jsonl"
batch.options.resumption = .succeeded
batch.options.shard = Shard(index: 0, count: 4)
let summary = try await batch.run(files: Array(CommandLine.arguments.dropFirst())) { result, summary in
    print(result.file ?? "", summary.progress)
}
print(summary.made, summary.kept, summary.failed)
