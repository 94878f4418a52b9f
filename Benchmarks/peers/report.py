"""The results: a table in Markdown, and a plot where matplotlib is there."""


def markdown(results, memory, rounds, versions):
    lines = [
        f"Ratios of ours to the other's, medians of {rounds} rounds in turns; below 1 is faster or smaller.",
        f"{versions}.",
        "",
        "| work | image | against | | ratio | at most | |",
        "|---|---|---|---|---|---|---|",
    ]
    for result in results:
        work = result.work
        if result.skipped:
            lines.append(f"| {work.title} | {work.image} | | | – | {work.time or ''} | {result.skipped} |")
        for what, ratio, target in result.figures():
            lines.append(
                f"| {work.title} | {work.image} | {result.anchor} | {what} | {number(ratio)} "
                f"| {target or ''} | {verdict(ratio, target)} |"
            )
    if memory:
        smallest, largest, ratio = memory
        lines.append(
            f"| peak memory of the same viewport | {smallest} to {largest} | itself | memory | {number(ratio)} "
            f"| 1.5 | {verdict(ratio, 1.5)} |"
        )
    lines += ["", *details(results)]
    return "\n".join(lines) + "\n"


def details(results):
    lines = ["| work | image | program | seconds | of a processor | MB | ratio of time |", "|---|---|---|---|---|---|---|"]
    for result in results:
        for name, series in result.series.items():
            ratio = "" if name == result.ours else number(result.ratio(name))
            lines.append(
                f"| {result.work.name} | {result.work.image} | {name} | {series.seconds:.3f} "
                f"| {series.processor:.3f} | {series.megabytes:.0f} | {ratio} |"
            )
    for result in results:
        for note in result.notes:
            lines.append(f"| {result.work.name} | {result.work.image} | {note.replace('|', '/')} | – | | | |")
    return lines


def number(ratio):
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.3f}"


def verdict(ratio, target):
    if target is None:
        return ""
    return "reached" if ratio <= target else f"missed, {ratio / target:.1f} times as much"


def plot(results, path):
    """Bars of the ratio of time against each peer, on a logarithmic axis; a tick where the target is."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    from matplotlib import pyplot

    bars = [
        (f"{result.work.name}, {result.work.image}: {name}", result.ratio(name), result, name)
        for result in results
        for name in result.others()
    ]
    if not bars:
        return False
    figure, axes = pyplot.subplots(figsize=(10, 1 + 0.24 * len(bars)))
    for row, (_, ratio, result, name) in enumerate(bars):
        isAnchor = name == result.anchor
        axes.barh(row, ratio - 1, left=1, color="#30638e" if isAnchor else "#9fb8cd", height=0.7)
        if isAnchor and result.work.time:
            axes.plot([result.work.time] * 2, [row - 0.45, row + 0.45], color="#d1495b", linewidth=2)
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks(range(len(bars)), [label for label, *_ in bars], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("time of viewport, of the other's; red: the target")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    return True
