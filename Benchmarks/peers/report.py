"""The report: tables in Markdown, and a plot if matplotlib is installed."""


def markdown(results, memory, rounds, versions):
    lines = [
        f"Ratios of viewport to the other program, medians of {rounds} interleaved rounds; below 1 is faster or smaller.",
        f"{versions}.",
        "",
        "| task | image | compared with | quantity | ratio | target | |",
        "|---|---|---|---|---|---|---|",
    ]
    for result in results:
        task = result.task
        if result.skipped:
            lines.append(f"| {task.title} | {task.image} | | | – | {task.time or ''} | {result.skipped} |")
        for what, ratio, target in result.figures():
            lines.append(
                f"| {task.title} | {task.image} | {result.anchor} | {what} | {number(ratio)} "
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
    lines = ["| task | image | program | seconds | CPU seconds | MB | ratio of time |", "|---|---|---|---|---|---|---|"]
    for result in results:
        for name, series in result.series.items():
            ratio = "" if name == result.ours else number(result.ratio(name))
            lines.append(
                f"| {result.task.name} | {result.task.image} | {name} | {series.seconds:.3f} "
                f"| {series.processor:.3f} | {series.megabytes:.0f} | {ratio} |"
            )
    for result in results:
        for note in result.notes:
            lines.append(f"| {result.task.name} | {result.task.image} | {note.replace('|', '/')} | – | | | |")
    return lines


def number(ratio):
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.3f}"


def verdict(ratio, target):
    if target is None:
        return ""
    return "reached" if ratio <= target else f"missed: {ratio / target:.1f} times the target"


def plot(results, path):
    """Bars of the ratios of time to each peer, on a logarithmic axis, with a tick at the target."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    from matplotlib import pyplot

    bars = [
        (f"{result.task.name}, {result.task.image}: {name}", result.ratio(name), result, name)
        for result in results
        for name in result.others()
    ]
    if not bars:
        return False
    figure, axes = pyplot.subplots(figsize=(10, 1 + 0.24 * len(bars)))
    for row, (_, ratio, result, name) in enumerate(bars):
        isAnchor = name == result.anchor
        axes.barh(row, ratio - 1, left=1, color="#30638e" if isAnchor else "#9fb8cd", height=0.7)
        if isAnchor and result.task.time:
            axes.plot([result.task.time] * 2, [row - 0.45, row + 0.45], color="#d1495b", linewidth=2)
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks(range(len(bars)), [label for label, *_ in bars], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("time of viewport / time of the other program; red: target")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    return True
