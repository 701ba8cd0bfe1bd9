"""One self-contained page: its style, and the pieces that reports are made of.

Nothing on a page is fetched: style stands in it, drawings are SVG, and no script runs. Every text
goes through `text`, since what comes from a file is data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape as html_escape

from msdump.render.escape import escape_control

STYLE = """
:root { color-scheme: light dark; --line: #d3d7dd; --box: #f5f6f8; --text: #1b1f24; --paper: #fff; --dim: #626a74;
  --accent: #0969da; --added: #1a7f37; --removed: #cf222e; --changed: #9a6700; --rewired: #0969da; --moved: #6e7781; }
@media (prefers-color-scheme: dark) { :root { --line: #3a4048; --box: #22262d; --text: #e4e7eb; --paper: #16191e;
  --dim: #98a1ad; --accent: #58a6ff; --added: #3fb950; --removed: #f85149; --changed: #d29922; --rewired: #58a6ff; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--paper); margin: 2rem auto;
  max-width: 80rem; padding: 0 1.25rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0 0 .4rem; } h2 { font-size: 1.15rem; margin: 0; }
h3 { font-size: 1rem; margin: 1.4rem 0 .3rem; }
code, .mono, pre { font-family: ui-monospace, monospace; font-size: .87em; }
pre { background: var(--box); padding: .7rem .9rem; border-radius: 6px; overflow: auto; max-height: 32rem;
  margin: .5rem 0; }
.sides, .dim { color: var(--dim); } .answer { font-weight: 600; margin: .4rem 0; } .good { color: var(--added); }
.bad { color: var(--removed); }
article { border-top: 2px solid var(--line); margin-top: 2.4rem; padding-top: 1rem; }
a { color: var(--accent); text-decoration: none; } nav { margin: 1rem 0; } nav a { margin-right: 1.2rem; }
section { border-left: 4px solid var(--line); padding: .2rem 0 .4rem 1rem; margin: 1.2rem 0; }
.added { border-color: var(--added); } .removed { border-color: var(--removed); }
.changed { border-color: var(--changed); } .rewired { border-color: var(--rewired); }
.pair { display: flex; gap: 1.5rem; flex-wrap: wrap; overflow-x: auto; }
figure { margin: .5rem 0; } figcaption { color: var(--dim); font-size: .85em; }
svg text { font: 12px ui-monospace, monospace; fill: var(--text); } svg .small { font-size: 10px; fill: var(--dim); }
svg rect { fill: var(--box); stroke: var(--line); } svg path { stroke: var(--line); fill: none; }
svg .curve { stroke: var(--accent); stroke-width: 1.6; } svg g[class] rect { stroke-width: 2.5; }
svg .added rect { stroke: var(--added); } svg .removed rect { stroke: var(--removed); }
svg .changed rect { stroke: var(--changed); } svg .rewired rect { stroke: var(--rewired); }
.wide { overflow-x: auto; margin: .5rem 0; } .charts { display: flex; flex-wrap: wrap; gap: 1.2rem; }
table { border-collapse: collapse; }
td, th { text-align: left; padding: .18rem 1rem .18rem 0; vertical-align: top; overflow-wrap: normal; }
thead th { color: var(--dim); font-weight: 600; border-bottom: 1px solid var(--line); white-space: nowrap; }
.rows tbody tr:nth-child(even) { background: var(--box); }
.rows td { white-space: pre-wrap; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.bar { display: inline-block; height: .6rem; background: var(--accent); border-radius: 2px; min-width: 2px; }
del { color: var(--removed); } ins { color: var(--added); text-decoration: none; }
details { margin: .3rem 0; } summary { cursor: pointer; color: var(--dim); }
"""


def text(content: object) -> str:
    """Anything as HTML text, control characters and markup escaped."""
    plain = str(content).encode("utf-8", "backslashreplace").decode("utf-8")
    return html_escape(escape_control(plain), quote=True)


def page(title: str, body: Iterable[str]) -> str:
    """A whole page."""
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
            f"<title>{text(title)}</title><style>{STYLE}</style></head><body>",
            *body,
            "</body></html>\n",
        ]
    )


def table(
    head: Sequence[str], rows: Iterable[Sequence[object]], right: Iterable[int] = (), most: int | None = None
) -> str:
    """A table; `right` are the columns of numbers. Of more than `most` rows the rest is counted."""
    numbers = set(right)
    listed = list(rows)
    shown = listed if most is None else listed[:most]
    cells = "".join(f"<th{_right(i, numbers)}>{text(name)}</th>" for i, name in enumerate(head))
    lines = [f'<div class="wide"><table class="rows mono"><thead><tr>{cells}</tr></thead><tbody>']
    for row in shown:
        lines.append(
            "<tr>" + "".join(f"<td{_right(i, numbers)}>{_cell(cell)}</td>" for i, cell in enumerate(row)) + "</tr>"
        )
    lines.append("</tbody></table></div>")
    return "\n".join(lines) + more(len(listed) - len(shown))


class Markup(str):
    """HTML that was made here, not text."""

    __slots__ = ()


def _cell(cell: object) -> str:
    return cell if isinstance(cell, Markup) else text(cell)


def _right(column: int, numbers: set[int]) -> str:
    return ' class="n"' if column in numbers else ""


def more(count: int) -> str:
    """How many were left out, in a line; nothing for none."""
    return f'<p class="dim">… and {count:,} more</p>' if count > 0 else ""


def bar(share: float) -> Markup:
    """A bar for a share of 0 to 1."""
    return Markup(f'<span class="bar" style="width:{max(0.0, min(1.0, share)) * 14:.2f}rem"></span>')


def fold(summary: str, content: str) -> str:
    """Content that opens with a click."""
    return f"<details><summary>{text(summary)}</summary>\n{content}</details>"


def pre(lines: Iterable[str], most: int = 400, widest: int = 1000) -> str:
    """Lines of plain text, at most `most` of them, each at most `widest` long."""
    listed = list(lines)
    shown = [line if len(line) <= widest else line[: widest - 1] + "…" for line in listed[:most]]
    return "<pre>" + "\n".join(text(line) for line in shown) + "</pre>" + more(len(listed) - len(shown))


def answer(said: str, good: bool | None = None) -> str:
    """The line that says it all."""
    kind = "" if good is None else " good" if good else " bad"
    return f'<p class="answer{kind}">{text(said)}</p>'


def article(number: int, title: str, kind: str, parts: Iterable[str]) -> str:
    """What a page says about one file or folder."""
    head = f'<article id="part{number}"><h2>{text(title)} <span class="dim">{text(kind)}</span></h2>'
    return "\n".join([head, *parts, "</article>"])


def chart(title: str, values: Sequence[float]) -> str:
    """A small line chart of values in their order; those that are not finite leave a gap."""
    width, height, edge = 360, 110, 6
    finite = [v for v in values if v - v == 0]
    if len(values) < 2 or not finite:
        return ""
    low, high = min(finite), max(finite)
    # Halves, since the difference of two large numbers may be infinite.
    span = high / 2 - low / 2 or 1.0
    step = (width - 2 * edge) / (len(values) - 1)
    points, pen = [], "M"
    for number, value in enumerate(values):
        if value - value != 0:
            pen = "M"
            continue
        x = edge + number * step
        y = height - edge - (value / 2 - low / 2) / span * (height - 2 * edge) if high > low else height / 2
        points.append(f"{pen}{x:.1f} {y:.1f}")
        pen = "L"
    drawn = f'<path class="curve" d="{" ".join(points)}"/>'
    frame = f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6"/>'
    said = f"{len(values):,} values, {finite[0]:.6g} → {finite[-1]:.6g}, min {low:.6g}, max {high:.6g}"
    odd = len(values) - len(finite)
    said += f", {odd:,} NaN or inf" if odd else ""
    return (
        f"<figure><figcaption><b>{text(title)}</b> {said}</figcaption>"
        f'<svg role="img" aria-label="{text(title)}" width="{width}" height="{height}">{frame}{drawn}</svg></figure>'
    )
