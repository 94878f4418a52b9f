import ArgumentParser

/// `viewport thumbnail`: small pictures of one photo or of a million, and what was written of them.
struct ThumbnailCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumbnail",
        abstract: "Make thumbnails of any number of files.",
        discussion: """
            viewport thumbnail photo.jpg                         thumbnails/photo.jpg-256.jpg
            viewport thumbnail --recursive photos --size 128 --size 1024 -o 'out/{dir}/{stem}-{size}.webp'
            viewport thumbnail --manifest list.jsonl --results results.jsonl --resume
            viewport thumbnail --manifest list.jsonl --shard 3/16 --results results-3.jsonl

            `viewport help thumbnail make` lists the options. Exit codes: 0 all well, 3 some items failed and their \
            results say why, 64 usage, 66 the manifest cannot be read, 73 something cannot be written, 75 another \
            run writes the same results, 130 and 143 stopped.
            """,
        subcommands: [MakeThumbnails.self, MergeResults.self, VerifyResults.self],
        defaultSubcommand: MakeThumbnails.self)
}
