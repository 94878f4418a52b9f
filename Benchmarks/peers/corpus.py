"""Your own images: each is fitted to 1024 pixels by viewport and by vipsthumbnail."""

from statistics import median

import measure
import programs
from rounds import measure_task
from tasks import Bench, Task


def markdown(folder, say, rounds=3):
    """A table with a row for each extension."""
    out = programs.WORKSHOP / "out"
    ratios, left_out = {}, []
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        result = measure_task(fitted(Bench(file, (0, 0), out)), rounds, lambda text: None)
        if "vipsthumbnail" not in result.series:
            left_out.append(f"{file.relative_to(folder)}: {'; '.join(result.notes)}")
            continue
        say(f"{file.relative_to(folder)}: {result.ratio('vipsthumbnail'):.2f}")
        ratios.setdefault(file.suffix.lower(), []).append(result.ratio("vipsthumbnail"))
    lines = ["", "| extension, fitted to 1024 | files | ratio of time to vipsthumbnail |", "|---|---|---|"]
    lines += [f"| {kind} | {len(found)} | {median(found):.2f} |" for kind, found in sorted(ratios.items())]
    return "\n".join(lines + ["", *(f"- left out: {line}" for line in left_out)]) + "\n"


def fitted(bench):
    ours, theirs = bench.out / "corpus.png", bench.out / "corpus-vips.png"
    return Task(
        "corpus",
        "fitted to 1024",
        bench.label,
        [
            bench.ours("viewport", ["render", bench.image, "-o", ours], ours),
            bench.peer(
                "vipsthumbnail",
                programs.find("vipsthumbnail"),
                [bench.image, "-s", "1024>", "-o", theirs],
                theirs,
                "like",
                25,
            ),
        ],
        # Corpora contain files that hang their readers.
        limit=20,
    )
