"""`msdump graph run`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from msdump.cli.app import cli, main


def model(corpus: Path, name: str = "lenet") -> Path:
    return corpus / "run" / "2.10.0" / f"{name}.mindir"


def test_a_model_runs_from_file_to_file(corpus: Path, tmp_path: Path) -> None:
    path, out = model(corpus), tmp_path / "o.npz"
    inputs = str(path)[:-7] + ".inputs.npz"
    done = CliRunner().invoke(cli, ["graph", "run", str(path), "--inputs", inputs, "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert done.output.startswith("out0  Tensor[Float32] (")
    with np.load(out) as found, np.load(str(path)[:-7] + ".outputs.npz") as want:
        np.testing.assert_allclose(found["out0"], want["out0"], rtol=1e-5, atol=1e-5)


def test_an_output_that_is_there_is_kept(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "o.npz"
    out.write_bytes(b"mine")
    path = model(corpus)
    inputs = str(path)[:-7] + ".inputs.npz"
    done = CliRunner().invoke(cli, ["graph", "run", str(path), "--inputs", inputs, "-o", str(out)])
    assert done.exit_code != 0
    assert out.read_bytes() == b"mine"


def test_every_operator_is_dumped_in_mindspores_layout(corpus: Path, tmp_path: Path) -> None:
    path = model(corpus, "conv_relu")
    target = tmp_path / "dump"
    inputs = str(path)[:-7] + ".inputs.npz"
    done = CliRunner().invoke(cli, ["graph", "run", str(path), "--inputs", inputs, "--dump", str(target)])
    assert done.exit_code == 0, done.output
    names = sorted(p.name for p in (target / "rank_0" / "Net" / "0" / "0").iterdir())
    outputs = [n for n in names if ".output.0.DefaultFormat.Float32.npy" in n]
    assert [n.split(".")[0] for n in outputs] == ["BiasAdd", "Conv2D", "Parameter", "ReLU"]
    order = (target / "rank_0/execution_order/ms_execution_order_graph_0.csv").read_text().split()
    assert [line.rpartition("/")[2].partition("-")[0] for line in order[1:]] == ["Conv2D", "BiasAdd", "ReLU"]


def test_what_cannot_be_executed_is_listed(corpus: Path) -> None:
    path = corpus / "ir" / "1.1.1" / "print_net" / "00_parse_0000.ir"
    done = CliRunner().invoke(cli, ["graph", "run", str(path), "--list-missing", "--json"])
    assert done.exit_code == 1
    document = json.loads(done.output)
    assert document["schema"] == "msdump.graph-missing/1"
    assert {"resolve"} <= {row["op"] for row in document["missing"]}


def test_nothing_missing_is_status_0(corpus: Path) -> None:
    done = CliRunner().invoke(cli, ["graph", "run", str(model(corpus)), "--list-missing"])
    assert done.exit_code == 0
    assert "every operator can be executed" in done.output


def test_bad_inputs_end_with_status_2_and_one_line(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.npz"
    bad.write_bytes(b"PK\x03\x04 not really")
    with pytest.raises(SystemExit) as ended:
        main(["graph", "run", str(model(corpus)), "--inputs", str(bad)])
    assert ended.value.code == 2
    wrong = tmp_path / "wrong.npz"
    np.savez(wrong, image=np.zeros(3))
    with pytest.raises(SystemExit) as ended:
        main(["graph", "run", str(model(corpus)), "--inputs", str(wrong)])
    assert ended.value.code == 2
    text = capsys.readouterr().err
    assert "bad.npz: is not .npz or .npy" in text
    assert "holds image, but the graph has no such parameter and takes 1 inputs" in text
    assert "Traceback" not in text
