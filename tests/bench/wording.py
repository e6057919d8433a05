"""How figures and the libraries are written in tables and charts."""

from typing import Any

Result = dict[str, Any]
"""Of a case: what bench.json and survey.json hold."""

NAMES = {
    "envpool": "EnvPool",
    "gymnasium": "Gymnasium, NumPy",
    "sample-factory": "Sample Factory",
}
"""Of the libraries, where the name that they are measured under is not theirs."""


def name_of(side: str) -> str:
    """`EnvPool, async`, `EnvPool, fast`."""
    library, comma, how = side.replace("envpool-", "envpool, ").partition(", ")
    return NAMES.get(library, library) + comma + how


def envs_of(num_envs: int) -> str:
    return f"{num_envs:,} env{'s' if num_envs > 1 else ''}"


def work_of(result: Result) -> str:
    """`Pong, 64 envs, async 16`."""
    count = result["num_envs"]
    how = "" if result["batch_size"] == count else f", async {result['batch_size']}"
    game = result["task"].rpartition("-")[0]
    return f"{game}, {envs_of(count)}{how}"


def rate_of(rate: float) -> str:
    """In three digits."""
    rate = float(f"{rate:.3g}")
    return f"{rate / 1e6:.1f} million" if rate >= 1e6 else f"{rate:,.0f}"


def ratio_of(value: float) -> str:
    return f"{value:,.0f}×" if value >= 10 else f"{value:.1f}×"


def spread_of(ratio: dict[str, float]) -> str:
    """`5.9× (5.8 to 6.4)`."""
    low, high = ratio_of(ratio["low"])[:-1], ratio_of(ratio["high"])[:-1]
    return f"{ratio_of(ratio['median'])} ({low} to {high})"


def with_spread(result: Result, peer: str) -> str:
    """`5.9× (5.8 to 6.4)`; nothing where the peer was not measured, its failure where it failed."""
    if peer in result["errors"]:
        return "failed"
    if peer not in result["ratios"]:
        return ""
    return spread_of(result["ratios"][peer])


def time_of(seconds: float) -> str:
    return next(
        f"{float(f'{seconds / unit:.2g}'):,g} {name}"
        for unit, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs"))
        if seconds >= unit or name == "µs"
    )


def size_of(num_bytes: float) -> str:
    units = ((1e6, "MB"), (1e3, "kB"), (1, "B"))
    unit, name = next(((u, n) for u, n in units if num_bytes >= u), units[-1])
    return f"{float(f'{num_bytes / unit:.2g}'):,g} {name}"


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
