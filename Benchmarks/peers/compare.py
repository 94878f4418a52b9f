"""Compares whole programs; `run` calls it after it has made everything ready."""

import argparse
import json
import sys
from pathlib import Path

import corpus
import formats
import programs
import report
import task_list
import thumbnails
from rounds import measure_task
from tasks import Bench

# Stored width and height, by megapixels.
SIZES = {12: (4000, 3000), 100: (11600, 8700), 300: (20000, 15000), 1000: (36500, 27400)}


def arguments():
    parser = argparse.ArgumentParser(prog="run", description="Compares viewport with other programs.")
    parser.add_argument("--quick", action="store_true", help="12 and 100 megapixels, 3 rounds")
    parser.add_argument("--only", metavar="NAME", help="tasks whose name contains this")
    parser.add_argument("--sizes", default="12,100,300,1000", help="megapixels (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="rounds (default: %(default)s)")
    parser.add_argument("--corpus", type=Path, metavar="DIR", help="also compare on your own images")
    parser.add_argument("--output", type=Path, default=programs.WORKSHOP, help="folder of the report")
    parser.add_argument(
        "--check", action="store_true", help="fail if a ratio is above 1.5 times its target"
    )
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.sizes, chosen.runs = "12,100", 3
    chosen.sizes = [int(size) for size in chosen.sizes.split(",")]
    return chosen


def tasks(sizes, files):
    """The tasks for all images; of plain JPEGs only 300 megapixels have targets. `files` is a folder of your own."""
    out = programs.WORKSHOP / "out"
    out.mkdir(parents=True, exist_ok=True)
    images = programs.WORKSHOP / "images"
    main = 300 if 300 in sizes else sizes[-1]
    for size in sizes:
        bench = Bench(images / f"{size}.jpg", SIZES[size], out)
        found = [task_list.crop_cold(bench), task_list.fitted(bench)]
        if size == main:
            found += [task_list.crop_warm(bench), task_list.lossless(bench, False), task_list.lossless(bench, True)]
            found += [task_list.ready(bench), task_list.tiles(bench), task_list.site(bench)]
            found += [task_list.start(bench)]
        if size != 300:
            for task in found:
                task.time = task.cpu = task.memory = task.disk = None
        yield from found
    if 12 in sizes:
        small = Bench(images / "100-pixels.png", (100, 100), out)
        yield task_list.small_png(small, images / "12.jpg")
    turned = images / "300-turned.jpg"
    if 300 in sizes:
        width, height = SIZES[300]
        # The left of the upright image is the bottom of the file.
        bench = Bench(turned, (height, width), out, deep=(0.12, 0.75))
        yield task_list.crop_turned(bench)
        yield task_list.turned_beside_upright(bench, Bench(images / "300.jpg", SIZES[300], out))
    yield from formats.tasks(images, files, out, say)


def thumbnail_photo(chosen):
    """The photo for batches of thumbnails; None if they are not selected."""
    wanted = not chosen.only or chosen.only in "thumbnails" or "thumbnails" in chosen.only
    return programs.WORKSHOP / "images" / "12.jpg" if wanted and 12 in chosen.sizes else None


def growth(results):
    """The ratio of peak memory of the same crop: largest to smallest image."""
    found = [result for result in results if result.task.name == "crop-cold" and not result.skipped]
    if len(found) < 2:
        return None
    first, last = (pick(found, key=lambda result: int(result.task.image)) for pick in [min, max])
    ratio = last.series[last.ours].megabytes / first.series[first.ours].megabytes
    return first.task.image, last.task.image, ratio


def main():
    chosen = arguments()
    results = []
    photo = thumbnail_photo(chosen)
    batches = thumbnails.tasks(photo, programs.WORKSHOP / "out") if photo else []
    for task in [*tasks(chosen.sizes, chosen.corpus), *batches]:
        if chosen.only and chosen.only not in task.name:
            continue
        say(f"{task.name}, {task.image}")
        result = measure_task(task, chosen.runs, say)
        results.append(result)
        if result.skipped:
            say(f"  skipped: {result.skipped}")
        for what, ratio, target in result.figures():
            say(f"  {what} {report.number(ratio)} of {result.anchor}" + (f", target {target}" if target else ""))
    chosen.output.mkdir(parents=True, exist_ok=True)
    memory = growth(results)
    text = report.markdown(results, memory, chosen.runs, programs.versions())
    if photo:
        text += thumbnails.markdown(photo, programs.WORKSHOP / "out", say)
    if chosen.corpus:
        text += corpus.markdown(chosen.corpus, say)
    (chosen.output / "results.md").write_text(text)
    (chosen.output / "results.json").write_text(json.dumps(raw(results), indent=1))
    drawn = report.plot(results, chosen.output / "results.png")
    print(text)
    say(f"written: {chosen.output}/results.md, results.json" + (", results.png" if drawn else ""))
    missed = [figure for result in results for figure in result.figures() if is_missed(figure)]
    if chosen.check and (missed or memory and memory[2] > 1.5 * 1.5):
        sys.exit("ratios are above 1.5 times their targets")


def is_missed(figure):
    _, ratio, target = figure
    return target is not None and ratio > 1.5 * target


def raw(results):
    return [
        {
            "task": result.task.name,
            "image": result.task.image,
            "skipped": result.skipped,
            "notes": result.notes,
            "runs": {name: [vars(run) for run in series.runs] for name, series in result.series.items()},
        }
        for result in results
    ]


def say(text):
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
