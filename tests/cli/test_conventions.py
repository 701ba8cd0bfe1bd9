"""What every command keeps to: exit statuses, error lines, pipes, colour, escapes, start-up."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from msdump.version import VERSION
from tests.cli.conftest import MINDSPORE, MSDUMP, Run

MIXED = MINDSPORE / "new_mixed.pb"
CUT = MINDSPORE / "trunc_100.pb"


def on_terminal(*words: str, **environment: str) -> tuple[int, str]:
    """Exit status and standard output of msdump where that is a terminal."""
    master, slave = pty.openpty()
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")} | {"TERM": "xterm"} | environment
    with subprocess.Popen([*MSDUMP, *words], stdout=slave, stderr=subprocess.PIPE, env=env) as process:
        os.close(slave)
        got = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            got += piece
        process.communicate(timeout=60)
    os.close(master)
    return process.returncode, got.decode().replace("\r\n", "\n")


def write_strings(path: Path, *strings: str) -> Path:
    def field(content: bytes) -> bytes:
        assert len(content) < 128
        return b"\x0a" + bytes([len(content)]) + content

    path.write_bytes(b"".join(field(field(text.encode())) for text in strings))
    return path


def test_a_path_alone_is_shown(run: Run) -> None:
    shown = run("show", MIXED)
    assert shown.status == 0
    assert shown.out.startswith("tensor:\nTensor(shape=[2, 2], dtype=Float32, value=\n[[-3.95776965e-02, ")
    assert run(MIXED) == run("decode", MIXED) == run("print", "show", MIXED) == shown


def test_a_file_named_like_a_command(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("print", "--help"):
        shutil.copy(MIXED, tmp_path / name)
        assert run(f"./{name}").out == run(MIXED).out
    assert run("show", "print").out == run(MIXED).out
    assert "Usage: msdump print" in run("print", "--help").out


def test_the_content_tells_the_kind_whatever_the_name(run: Run, tmp_path: Path) -> None:
    odd = tmp_path / "log.ir"
    shutil.copy(MIXED, odd)
    assert run(odd).out == run(MIXED).out


def test_standard_input(run: Run) -> None:
    assert run("-", stdin=MIXED.read_bytes()).out == run(MIXED).out
    assert run("print", "show", "-", "--json", stdin=MIXED.read_bytes()).json()["records"][0]["values"] == [
        {"kind": "string", "value": "tensor:"}
    ]


@pytest.mark.parametrize(
    ("words", "status", "err"),
    [
        ("- <&-", 2, "msdump: <stdin>: is closed\n"),
        (f"{MIXED} >&-", 0, ""),
        (f"diff {MIXED} {CUT} >&-", 2, None),
        (f"diff {MIXED} {MINDSPORE / 'new_int8.pb'} >&- 2>&-", 1, ""),
        (f"{MIXED} >/dev/full", 2, "msdump: No space left on device\n"),
    ],
)
def test_closed_and_full_streams(words: str, status: int, err: str | None) -> None:
    script = f"{MSDUMP[0]} -m msdump {words}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (status, "")
    assert "Traceback" not in done.stderr
    assert err is None or done.stderr == err


def test_several_paths(run: Run) -> None:
    other = MINDSPORE / "new_int8.pb"
    both = run(MIXED, other)
    assert both.out == f"==> {MIXED} <==\n{run(MIXED).out}\n==> {other} <==\n{run(other).out}"
    some = run(MIXED, "absent.pb", other)
    assert (some.status, some.err) == (2, "msdump: absent.pb: No such file or directory\n")
    assert run(MIXED).out in some.out
    assert run(other).out in some.out


@pytest.mark.parametrize("words", [("--json",), ("--format", "json"), ("--format=json",), ("--json", "--stats")])
def test_several_paths_are_one_document(run: Run, words: tuple[str, ...]) -> None:
    other = MINDSPORE / "new_int8.pb"
    some = run("absent.pb", MIXED, CUT, other, *words)
    assert some.status == 2
    what = "the file ends inside a record: field 1 has 275 bytes, 86 are there"
    assert some.json() == {
        "schema": "msdump.show/1",
        "documents": [run(path, *words).json() for path in (MIXED, CUT, other)],
        "problems": [{"file": "absent.pb", "what": "No such file or directory"}, {"file": str(CUT), "what": what}],
    }
    assert run("absent.pb", "gone.pb", *words).json()["documents"] == []


@pytest.mark.parametrize(
    "words",
    [
        ("print", "show", "absent.pb"),
        ("absent.pb",),
        ("diff", "absent.pb", "absent.pb"),
        ("convert", "absent.pb", "-o", "x.json"),
        ("print", "recover", "absent.pb", "-o", "x.pb"),
        ("print", "from-log", "absent.pb", "-o", "x.pb"),
        ("print", "diff", "absent.pb", "absent.pb"),
    ],
)
def test_a_missing_file_is_one_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run(*words)
    assert (ran.status, ran.out, ran.err) == (2, "", "msdump: absent.pb: No such file or directory\n")


def test_what_could_be_read_of_a_damaged_file_comes_first_then_the_error(run: Run) -> None:
    ran = run(CUT)
    assert (ran.status, ran.out) == (2, "tensor:\n")
    line, hint = ran.err.splitlines()
    assert line == f"msdump: {CUT}: the file ends inside a record: field 1 has 275 bytes, 86 are there (byte 11)"
    assert hint == f"`msdump print recover {CUT} -o OUT` saves every whole record"
    document = run(CUT, "--json")
    assert document.status == 2
    assert document.json()["problems"][0]["offset"] == 11
    assert len(document.json()["records"]) == 1


def test_a_bad_value_is_shown_and_ends_with_2(run: Run) -> None:
    path = MINDSPORE / "new_unknown_type_QInt4x2.pb"
    ran = run(path)
    assert ran.status == 2
    assert ran.out == 'BadValue(shape=[4], dtype=QInt4x2, bytes=4: the type "QInt4x2" is unknown)\n'
    assert ran.err.splitlines() == [
        f'msdump: {path}: the type "QInt4x2" is unknown (byte 0)',
        "all else was read; --json has their bytes",
    ]


@pytest.mark.parametrize("content", [b"", b"\x07\x07\x07\x07nothing known", b"\x00" * 5000, b"GIF89a"])
def test_what_nobody_knows_is_an_error_and_no_traceback(run: Run, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.bin"
    path.write_bytes(content)
    ran = run(path)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"msdump: {path}: ")


def test_usage_errors_end_with_2(run: Run) -> None:
    for words in (
        ("print", "show"),
        ("print", "show", MIXED, "--nonsense"),
        ("print", "nonsense"),
        ("diff", MIXED),
        ("convert", MIXED),
        (MIXED, "--index", "a:b"),
        (MIXED, "--grep", "("),
        (MIXED, "--json", "--format", "csv"),
        (MIXED, "--head", "-1"),
        (MIXED, "--follow", "--json"),
    ):
        ran = run(*words)
        assert (ran.status, ran.out) == (2, ""), words
        assert "Error: " in ran.err
        assert "Traceback" not in ran.err


def test_without_arguments_the_help_is_shown(run: Run) -> None:
    ran = run("--help")
    assert ran.status == 0
    for command in ("show", "diff", "convert", "print", "graph", "dump", "report", "git", "doctor"):
        assert f"\n  {command} " in ran.out
    assert run("--version").out == f"msdump {VERSION}\n"


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    many = write_strings(tmp_path / "many.pb", *["a line that fills the pipe, again and again"] * 20_000)
    ran = subprocess.run(
        ["bash", "-c", 'set -o pipefail; "$@" | head -n 1', "-", *MSDUMP, str(many)],
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert ran.stdout == b"a line that fills the pipe, again and again\n"
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_ctrl_c_ends_with_130(tmp_path: Path) -> None:
    path = write_strings(tmp_path / "live.pb", "first")
    with subprocess.Popen(
        [*MSDUMP, "print", "show", "--follow", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            assert process.stdout.readline() == b"first\n"
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 130
        finally:
            process.kill()
        assert process.stderr.read() == b""


def test_following_a_file_that_grows(tmp_path: Path) -> None:
    path = write_strings(tmp_path / "live.pb", "first", "second")
    more = write_strings(tmp_path / "more.pb", "third", "fourth").read_bytes()
    with subprocess.Popen([*MSDUMP, str(path), "--follow", "--tail", "1"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == b"second\n"
            with open(path, "ab") as stream:
                stream.write(more[:12])  # a whole record, and half of the next one
                stream.flush()
                assert process.stdout.readline() == b"third\n"
                time.sleep(0.3)
                stream.write(more[12:])
            assert process.stdout.readline() == b"fourth\n"
        finally:
            process.kill()


def test_escapes_in_strings(tmp_path: Path, run: Run) -> None:
    text = "red \x1b[31m bell \x07 title \x1b]0;x\x07 rtl \u202e c1 \x9b2J tab\there"
    path = write_strings(tmp_path / "a.pb", text)
    assert run(path).out == text + "\n"  # the bytes themselves, for programs
    status, seen = on_terminal(str(path))
    assert status == 0
    assert seen == "red \\x1b[31m bell \\x07 title \\x1b]0;x\\x07 rtl \\u202e c1 \\x9b2J tab\there\n"
    assert run(path, "--json").json()["records"][0]["values"][0]["value"] == text
    other = write_strings(tmp_path / "b.pb", "red \x1b[32m")
    assert "\x1b" not in run("diff", path, other).out


def test_an_escape_in_a_file_name_is_escaped_in_the_error(run: Run, tmp_path: Path) -> None:
    ran = run(tmp_path / "a\x1b[31m.pb")
    assert "\x1b" not in ran.err
    assert "a\\x1b[31m.pb: No such file" in ran.err


def test_colour_only_on_a_terminal(run: Run) -> None:
    other = str(MINDSPORE / "old_mixed.pb")
    words = ("diff", str(MIXED), other)
    assert "\x1b[" not in run(*words).out
    assert "\x1b[" in on_terminal(*words)[1]
    assert "\x1b[" not in on_terminal(*words, NO_COLOR="1")[1]
    assert "\x1b[" not in on_terminal(*words, TERM="dumb")[1]
    assert "\x1b[" not in on_terminal(*words, "--color", "never")[1]
    assert "\x1b[" in run(*words, "--color", "always").out


def test_output_that_the_locale_cannot_show(tmp_path: Path, run: Run) -> None:
    path = write_strings(tmp_path / "a.pb", "损失:")
    ran = run(path, PYTHONIOENCODING="ascii")
    assert (ran.status, ran.out) == (0, "\\u635f\\u5931:\n")


def test_an_existing_output_is_kept_without_force(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    out.write_text("mine")
    ran = run("convert", MIXED, "-o", out)
    assert (ran.status, out.read_text()) == (2, "mine")
    assert "exists" in ran.err
    assert run("convert", MIXED, "-o", out, "--force").status == 0
    assert out.read_text().startswith('{"schema": "msdump.print/1"')
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.json"]


def test_a_failed_conversion_leaves_nothing(run: Run, tmp_path: Path) -> None:
    ran = run("convert", CUT, "-o", tmp_path / "out.json")
    assert ran.status == 2
    assert "print recover" in ran.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["print", "--help"], ["print", "show", "--help"]])
def test_starting_imports_nothing_heavy(words: list[str]) -> None:
    code = (
        "import sys\nfrom msdump.cli import main\ntry: main(sys.argv[1:])\nexcept SystemExit: pass\nprint(*sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    loaded = set(ran.stdout.splitlines()[-1].split())
    heavy = {"rich", "google.protobuf", "ml_dtypes"} | ({"numpy"} if words[-1] != "--help" or len(words) < 3 else set())
    assert not loaded & heavy


def test_head_of_a_file_of_zeros_and_2_gib(tmp_path: Path) -> None:
    size = 5 << 29  # 2.5 GiB in one tensor, sparse
    shape = b"\x08" + varint(size // 4)
    tensor = shape + b"\x12\x07Float32\x1a" + varint(size)
    value = b"\x12" + varint(len(tensor) + size) + tensor
    path = tmp_path / "big.pb"
    with open(path, "wb") as stream:
        stream.write(b"\x0a\x07\x0a\x05first" + b"\x0a" + varint(len(value) + size) + value)
        stream.truncate(stream.tell() + size)
    ran = subprocess.run([*MSDUMP, str(path)], capture_output=True, text=True, timeout=60, check=True)
    first, second = ran.stdout.splitlines()
    assert first == "first"
    assert second.startswith(f"Tensor(shape=[{size // 4}], dtype=Float32, value= [ 0.00000000e+00,")


def varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def test_nothing_is_written_with_a_carriage_return_or_lost_at_the_end(run: Run, tmp_path: Path) -> None:
    path = write_strings(tmp_path / "a.pb", "two\nlines", "", "end")
    assert run(path).out == "two\nlines\n\nend\n"
    assert np.all([c != "\r" for c in run(path).out])
