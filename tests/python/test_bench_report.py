"""README and docs tell the figures of docs/results, and the charts are drawn from them."""

import json

import pytest
from PIL import Image

from tests.bench import report

MEASURED = report.read_results()


@pytest.mark.parametrize("page", report.PAGES)
def test_tables_are_those_of_the_results(page: str) -> None:
    text = (report.ROOT / page).read_text()
    assert report.MARKED.search(text)
    assert text == report.with_tables(text, report.sections(MEASURED))


@pytest.mark.parametrize("name", report.charts(MEASURED))
def test_charts_are_of_the_results(name: str) -> None:
    shown = report.charts(MEASURED)[name]
    with Image.open(report.RESULTS / name) as chart:
        assert chart.info["Source"] == report.mark_of(shown)


@pytest.mark.parametrize(
    ("file", "ratio", "page", "chart"),
    [
        ("bench", ("ratios", "envpool", "median"), "README.md", "bench_atari.png"),
        ("survey", ("values", "envpool", "median"), "docs/benchmarks.md", "survey_throughput.png"),
    ],
)
def test_another_figure_is_another_table_and_chart(
    file: str, ratio: tuple[str, str, str], page: str, chart: str
) -> None:
    other = json.loads(json.dumps(MEASURED))
    kind, side, which = ratio
    other[file]["results"][0][kind][side][which] *= 2
    text = (report.ROOT / page).read_text()
    assert report.with_tables(text, report.sections(other)) != text
    marks = [report.mark_of(report.charts(measured)[chart]) for measured in (MEASURED, other)]
    assert marks[0] != marks[1]
