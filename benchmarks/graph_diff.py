"""Graph diff: what it finds on pairs of a known edit, and how long it takes.

    python benchmarks/graph_diff.py [--corpus DIR] [--pairs | --edits | --speed | --curves | --passes] [--quick]

- pairs   the table of ../shared/corpus/pairs: operators and roots found against those of edit.json
- edits   recall and precision on generated edits of real graphs (the mutator of the tests)
- speed   two files of 50 MB made from the corpus's big graphs, identical and edited, as a multiple of
          the time to read both; for two identical runs beside `git diff --no-index` plus reading
- curves  matching over 1,000, 10,000 and 100,000 nodes: chains, identical nodes, identical blocks,
          nets with nothing in common
- passes  600 stages made of those of ../shared/corpus/passes
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from msdump.diff.graphs import diff_graphs  # noqa: E402 (the path comes first)
from msdump.io import read_graph  # noqa: E402 (the path comes first)
from tests.diff.made import blocks, chain, fan, random_net  # noqa: E402 (the path comes first)
from tests.diff.mutate import Mutator  # noqa: E402 (the path comes first)
from tests.diff.test_graphs import _roots_are, found, shortest  # noqa: E402 (the path comes first)


def timed(work: Callable[[], Any], repeat: int = 1) -> tuple[float, Any]:
    """The least time of some runs, and what the last one gave."""
    best, result = float("inf"), None
    for _ in range(repeat):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result


def pairs(corpus: Path) -> None:
    rows: Counter[tuple[str, str]] = Counter()
    wrong: list[str] = []
    for path in sorted((corpus / "pairs").glob("*/*/*/edit.json")):
        edit = json.loads(path.read_text(encoding="utf-8"))
        version, network = path.parts[-4:-2]
        key = f"{version} {network}"
        for stage, told in edit["stages"].items():
            diff = diff_graphs(*(read_graph(path.parent / side / f"{stage}.ir") for side in ("base", "edited")))
            rows[key, "stages"] += 1
            rows[key, "same"] += diff.same == edit["same"]
            net = diff.count("added")
            net.subtract(diff.count("removed"))
            for change in diff.changes:
                if change.kind == "changed" and "op" in change.what:
                    net[str(change.what["op"][0])] -= 1
                    net[str(change.what["op"][1])] += 1
            want = Counter(told["ops_added"])
            want.subtract(told["ops_removed"])
            good = {k: v for k, v in net.items() if v} == {k: v for k, v in want.items() if v}
            rows[key, "operators"] += good
            reported = sum(diff.count("added").values()) + sum(diff.count("removed").values())
            rows[key, "reported"] += reported
            rows[key, "true"] += sum(told["ops_added"].values()) + sum(told["ops_removed"].values())
            if edit["exact"] and told["exact"]:
                rows[key, "exact"] += 1
                rows[key, "roots"] += _roots_are(diff, edit["by_scope"])
            if not good or diff.same != edit["same"]:
                wrong.append(f"{path.parent.relative_to(corpus)} {stage}")
    print("| pairs | stages | same agrees | operators agree | reported / true | exact stages | roots agree |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for key in sorted({key for key, _ in rows}):
        row = {name: rows[key, name] for name in ("stages", "same", "operators", "reported", "true", "exact", "roots")}
        print(
            f"| {key} | {row['stages']} | {row['same']} | {row['operators']} | {row['reported']} / {row['true']} "
            f"| {row['exact']} | {row['roots']} |"
        )
    print("not right:", ", ".join(wrong) or "none", "\n")


def edits(corpus: Path, seeds: int) -> None:
    print("| graph | nodes | edits | recall | precision | more than twice |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in (
        "1.1.1/conv/op_added/base/abstract_specialize.ir",
        "1.1.1/ctrl/op_added/base/abstract_specialize.ir",
        "1.6.1/resid/op_added/base/abstract_specialize.ir",
        "1.6.1/resid/op_added/base/validate.ir",
        "2.0.0/conv/op_added/base/abstract_specialize.ir",
        "2.10.0/conv/op_added/base/type_inference.ir",
        "2.10.0/ctrl/op_added/base/validate.ir",
    ):
        graph = read_graph(corpus / "pairs" / name)
        size = sum(1 for _ in graph.iter_nodes())
        hits = reported = true = over = 0
        for seed in range(seeds):
            mutator = Mutator(graph, seed)
            for _ in range(min(1 + seed % 20, max(1, size // 8))):
                mutator.edit()
            mutator.renumber()
            mutator.reorder()
            seen = found(diff_graphs(graph, mutator.graph()))
            truth = shortest(seen, mutator.truth)
            hits += sum((seen & truth).values())
            reported += sum(seen.values())
            true += sum(truth.values())
            over += sum(seen.values()) > 2 * sum(mutator.truth.values())
        print(f"| {name} | {size} | {true} | {hits / true:.3f} | {hits / max(reported, 1):.3f} | {over} of {seeds} |")
    print()


def enlarge(text: str, size: int) -> str:
    """A file of about `size` bytes: the subgraphs of a graph again and again under other names."""
    _, mark, body = text.partition("\nsubgraph attr:")
    names = sorted(set(re.findall(r"^subgraph @(.*?)(?: parent: |\()", text, re.MULTILINE)), key=len, reverse=True)
    pieces = [text]
    total = len(text)
    copy = 0
    pattern = re.compile("@(" + "|".join(re.escape(name) for name in names) + r")(?=[\s(),\]:])")
    while total < size:
        copy += 1
        again = mark + pattern.sub(lambda m, c=copy: f"@c{c}_{m[1]}", body)
        pieces.append(again)
        total += len(again)
    return "".join(pieces)


def speed(corpus: Path, size: int) -> None:
    titles = (
        "two files of",
        "nodes",
        "read both",
        "diff, identical",
        "of git + reading",
        "diff, 10 edits",
        "of reading both",
    )
    print("| " + " | ".join(titles) + " |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in ("1.1.1/04_abstract_specialize_0004.ir", "2.10.0/21_validate_0076.ir"):
        text = (corpus / "big" / name).read_text(encoding="utf-8", errors="surrogateescape")
        with tempfile.TemporaryDirectory() as folder:
            print(_speed_row(name, enlarge(text, size), Path(folder)))
    print()


def _speed_row(name: str, large: str, folder: Path) -> str:
    one, two = folder / "a.ir", folder / "b.ir"
    one.write_text(large, encoding="utf-8", errors="surrogateescape")
    two.write_text(re.sub("0x[0-9a-f]+", "0xabc", large), encoding="utf-8", errors="surrogateescape")
    words = ["git", "diff", "--no-index", "--stat", str(one), str(two)]
    git, _ = timed(lambda: subprocess.run(words, capture_output=True, check=False))
    first, a = timed(lambda: read_graph(one))
    second, b = timed(lambda: read_graph(two))
    reading = first + second
    same, result = timed(lambda: diff_graphs(a, b))
    assert result.same
    mutator = Mutator(a, 1)
    for _ in range(10):
        mutator.edit()
    other = mutator.graph()
    different, _ = timed(lambda: diff_graphs(a, other))
    nodes = sum(1 for _ in a.iter_nodes())
    cells = (
        f"{one.stat().st_size / 1e6:.0f} MB of {name}",
        f"{nodes:,}",
        f"{reading:.1f} s",
        f"{same:.1f} s",
        f"{(same + reading) / (git + reading):.2f}",
        f"{different:.1f} s",
        f"{(different + reading) / reading:.2f}",
    )
    return "| " + " | ".join(cells) + " |"


def curves(sizes: tuple[int, ...]) -> None:
    ops = ("Add", "Mul", "ReLU", "MatMul", "Exp")
    cases: dict[str, Callable[[int], tuple[Any, Any]]] = {
        "a chain, the same": lambda n: (chain(n), chain(n)),
        "a chain, one less": lambda n: (chain(n), chain(n, without=n // 2)),
        "identical nodes, one less": lambda n: (fan(n), fan(n, without=n // 3)),
        "identical blocks, one less": lambda n: (blocks(n // 4), blocks(n // 4, without=n // 9)),
        "nothing in common": lambda n: (chain(n), chain(n, op="Tanh")),
        "two random nets": lambda n: (random_net(n, 1, ops), random_net(n, 2, ops)),
    }
    print("| µs a node | " + " | ".join(f"{n:,} nodes" for n in sizes) + " |")
    print("| --- |" + " --- |" * len(sizes))
    for name, make in cases.items():
        cells = []
        for n in sizes:
            a, b = make(n)
            seconds, _ = timed(lambda a=a, b=b: diff_graphs(a, b))
            cells.append(f"{seconds / n * 1e6:.0f}")
        print(f"| {name} | " + " | ".join(cells) + " |")
    print()


def passes(corpus: Path) -> None:
    from msdump.cli.graph.passes import stage_files
    from msdump.diff.passes import diff_stages

    source = sorted((corpus / "passes" / "1.1.1" / "graphs").glob("*.ir"))
    with tempfile.TemporaryDirectory() as folder:
        for number in range(600):
            path = source[number * len(source) // 600]
            (Path(folder) / f"stage_{number}_{number:04d}.ir").write_bytes(path.read_bytes())
        seconds, stages = timed(lambda: list(diff_stages(stage_files(folder))))
        changed = sum(stage.changed for stage in stages)
        print(f"{len(stages)} stages in {seconds:.1f} s, {changed} changed the graph (goal: 20 s)\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus")
    for name in ("pairs", "edits", "speed", "curves", "passes"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--quick", action="store_true", help="smaller files and fewer edits")
    given = parser.parse_args()
    every = not any((given.pairs, given.edits, given.speed, given.curves, given.passes))
    if given.pairs or every:
        pairs(given.corpus)
    if given.edits or every:
        edits(given.corpus, 20 if given.quick else 60)
    if given.speed or every:
        speed(given.corpus, 16_000_000 if given.quick else 50_000_000)
    if given.curves or every:
        curves((1000, 10_000) if given.quick else (1000, 10_000, 100_000))
    if given.passes or every:
        passes(given.corpus)


if __name__ == "__main__":
    main()
