"""The charts of docs/performance.md and docs/benchmarks.md."""

from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator


def draw_ratios(points: list[tuple[str, dict[str, dict[str, float]]]]) -> Figure:
    """For each work how many times faster than each peer: the median, and half of the rounds."""
    peers = list(dict.fromkeys(peer for _, ratios in points for peer in ratios))
    figure = Figure(figsize=(8, 0.8 + 0.3 * len(points)), layout="constrained")
    axes = figure.subplots()
    for colour, peer in enumerate(peers):
        rows = [(y, ratios[peer]) for y, (_, ratios) in enumerate(points) if peer in ratios]
        for y, ratio in rows:
            axes.plot(
                [ratio["low"], ratio["high"]], [y, y], color=f"C{colour}", linewidth=4, alpha=0.35
            )
        medians = [ratio["median"] for _, ratio in rows]
        axes.plot(medians, [y for y, _ in rows], "o", color=f"C{colour}", label=peer)
    axes.set_xscale("log")
    axes.set_xlim(left=0.9)
    axes.axvline(1, color="black", linewidth=1)
    most = max(ratio["high"] for _, ratios in points for ratio in ratios.values())
    ticks = [tick for tick in (1, 2, 5, 10, 20, 50, 100, 200, 500) if tick < 1.5 * most]
    axes.set_xticks(ticks, [f"{tick}×" for tick in ticks])
    axes.minorticks_off()
    axes.set_yticks(range(len(points)), [work for work, _ in points])
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("poolkit is so many times faster")
    figure.legend(loc="outside upper center", ncols=min(4, len(peers)), frameon=False)
    return figure


def draw_projection(rows: list[dict[str, Any]]) -> Figure:
    """Published frames/s of others, ours as open bars: they were not measured."""
    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    shown = {
        "for_loop": ("for-loop", {"color": "#b8b8b8"}),
        "subprocess": ("subprocess", {"color": "#7d9db5"}),
        "sample_factory": ("Sample Factory", {"color": "#588b4c"}),
        "envpool": ("EnvPool", {"color": "#2a6f97"}),
        "poolkit": (
            "poolkit, projected",
            {"facecolor": "white", "edgecolor": "#c8553d", "hatch": "///"},
        ),
    }
    for k, (key, (name, look)) in enumerate(shown.items()):
        places = [x + (k - 2) * 0.16 for x in range(len(rows))]
        axes.bar(places, [row[key] for row in rows], 0.15, label=name, **look)
    axes.set_yscale("log")
    axes.set_ylabel("Pong, frames/s")
    axes.set_xticks(range(len(rows)), [f"{row['name']}\n{row['cores']} threads" for row in rows])
    axes.tick_params(axis="x", length=0, labelsize=8)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=5, frameon=False)
    return figure


Panels = dict[str, dict[str, dict[str, float]]]
"""By their titles; each has sides, whose figures have labels."""


def draw_rates(panels: Panels) -> Figure:
    """For each side its rate, a point for each number of environments."""
    return draw_points(panels, ["o", "o", "o"], line_width=0)


def draw_latency(panels: Panels) -> Figure:
    """For each side the time of a step, from its median to its highest percentile."""
    return draw_points(panels, ["o", "|", "|", "|"], line_width=1.5)


def draw_points(panels: Panels, markers: list[str], *, line_width: float) -> Figure:
    """Two panels a row; a line for each side, on it a point for each figure."""
    rows = -(-len(panels) // 2)
    most = max(len(sides) for sides in panels.values())
    figure = Figure(figsize=(10, rows * (1.0 + 0.26 * most)), layout="constrained")
    grid = figure.subplots(rows, 2, squeeze=False)
    shown = {}
    for axes, (title, sides) in zip(grid.flat, panels.items(), strict=True):
        labels = list(dict.fromkeys(label for figures in sides.values() for label in figures))
        for y, figures in enumerate(sides.values()):
            axes.plot(list(figures.values()), [y] * len(figures), "#c0c0c0", linewidth=line_width)
            for label, value in figures.items():
                k = labels.index(label)
                (shown[label],) = axes.plot(value, y, markers[k], color=f"C{k}", markersize=7)
        axes.set_xscale("log")
        low, high = axes.get_xlim()
        axes.xaxis.set_major_locator(LogLocator(subs=(1,) if high > 100 * low else (1, 2, 5)))
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.minorticks_off()
        axes.set_title(title, loc="left", fontsize=10)
        axes.set_yticks(range(len(sides)), list(sides))
        axes.set_ylim(len(sides) - 0.5, -0.5)
        axes.grid(axis="x", alpha=0.3)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
    places = {"loc": "outside upper center", "ncols": len(shown), "frameon": False}
    figure.legend(list(shown.values()), list(shown), **places)
    return figure
