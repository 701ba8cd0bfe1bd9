"""Device formats against the vendor's converters, which are plain numpy (mindstudio-probe).

They are asked where MSDUMP_MSPROBE_PYTHON names a Python that has mindstudio-probe; its reader of .bin
files cannot be asked, since it is a library of the chip's toolkit.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msdump.formats.dump.device_format import to_host

PYTHON = os.environ.get("MSDUMP_MSPROBE_PYTHON", "")
pytestmark = pytest.mark.skipif(not PYTHON, reason="MSDUMP_MSPROBE_PYTHON names no Python with mindstudio-probe")

ASK = """
import importlib.util, os, sys
import numpy as np
found = importlib.util.find_spec("msprobe").submodule_search_locations[0]
sys.path.insert(0, os.path.join(found, "msaccucmp"))  # its modules import one another from there
folder = os.path.join(found, "msaccucmp", "format_manager", "builtin_format_convert")
asked = np.load(sys.argv[1])
answers = {}
for name in asked.files:
    form, number, _ = name.split("|")
    if not name.endswith("|device"):
        continue
    path = os.path.join(folder, f"convert_{form}.py")
    spec = importlib.util.spec_from_file_location(form, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    device, shape = asked[name], [int(d) for d in asked[f"{form}|{number}|shape"]]
    answers[f"{form}|{number}"] = module.convert(list(device.shape), shape, device.reshape(-1))
np.savez(sys.argv[2], **answers)
"""


def cases() -> dict[str, list[tuple[tuple[int, ...], tuple[int, ...]]]]:
    """What is asked for each conversion: shape on the device, shape of the program."""

    def up(a: int, b: int) -> int:
        return -(-a // b)

    images = [(2, 3, 4, 5), (1, 32, 2, 1), (3, 17, 1, 2), (20, 3, 2, 3), (16, 33, 1, 1)]
    found: dict[str, list[tuple[tuple[int, ...], tuple[int, ...]]]] = {}
    for order in ("NCHW", "NHWC", "HWCN"):
        for n, c, h, w in images:
            sizes = {"N": n, "C": c, "H": h, "W": w}
            host = tuple(sizes[axis] for axis in order)
            for c0 in (16, 32):
                c1 = up(c, c0)
                found.setdefault(f"NC1HWC0_to_{order}", []).append(((n, c1, h, w, c0), host))
                if order != "NHWC":
                    device = (c1 * h * w, up(n, 16), 16, c0)
                    found.setdefault(f"FRACTAL_Z_to_{order}", []).append((device, host))
    for shape in ((5, 7), (16, 16), (6, 17, 33), (40, 3)):
        for c0 in (16, 32):
            *batch, height, width = shape
            found.setdefault("FRACTAL_NZ_to_ND", []).append(((*batch, up(width, c0), up(height, 16), 16, c0), shape))
    for n, c, d, h, w in ((2, 3, 4, 2, 3), (1, 17, 1, 2, 2)):
        found.setdefault("NDC1HWC0_to_NCDHW", []).append(((n, d, up(c, 16), h, w, 16), (n, c, d, h, w)))
    return found


def test_device_formats(tmp_path: Path) -> None:
    asked: dict[str, Any] = {}
    for form, shapes in cases().items():
        for number, (device, host) in enumerate(shapes):
            asked[f"{form}|{number}|device"] = np.arange(np.prod(device), dtype=np.int32).reshape(device)
            asked[f"{form}|{number}|shape"] = np.array(host)
    np.savez(tmp_path / "asked.npz", **asked)
    subprocess.run([PYTHON, "-c", ASK, str(tmp_path / "asked.npz"), str(tmp_path / "answers.npz")], check=True)
    with np.load(tmp_path / "answers.npz") as answers:
        assert len(answers.files) == sum(map(len, cases().values()))
        for name in answers.files:
            form, number = name.split("|")
            source, _, order = form.partition("_to_")
            device, host = asked[f"{form}|{number}|device"], tuple(int(d) for d in asked[f"{form}|{number}|shape"])
            ours = to_host(device, source, host, host_format="" if order == "ND" else order)
            theirs = answers[name]
            if theirs.size != ours.size:
                theirs = theirs[tuple(map(slice, host))]  # some of theirs leave the channels' padding in
            np.testing.assert_array_equal(ours, theirs.reshape(host), err_msg=name)
