"""README and docs tell the figures of docs/results, and the charts are drawn from them."""

import json

import pytest
from PIL import Image

from tests.bench import report

BENCH, MEASURED = report.read_results()


@pytest.mark.parametrize("page", report.PAGES)
def test_tables_are_those_of_the_results(page: str) -> None:
    text = (report.ROOT / page).read_text()
    assert report.MARKED.search(text)
    assert text == report.with_tables(text, report.sections(BENCH, MEASURED))


@pytest.mark.parametrize("name", report.charts(BENCH, MEASURED))
def test_charts_are_of_the_results(name: str) -> None:
    shown = report.charts(BENCH, MEASURED)[name]
    with Image.open(report.RESULTS / name) as chart:
        assert chart.info["Source"] == report.mark_of(shown)


def test_another_figure_is_another_table_and_chart() -> None:
    other = json.loads(json.dumps(BENCH))
    other["results"][0]["ratios"]["envpool"]["median"] += 1
    text = (report.ROOT / "README.md").read_text()
    assert report.with_tables(text, report.sections(other, MEASURED)) != text
    marks = [report.mark_of(report.charts(b, MEASURED)["bench_atari.png"]) for b in (BENCH, other)]
    assert marks[0] != marks[1]
