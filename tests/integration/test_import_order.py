"""One process with MindSpore itself: print files are read before and after `import mindspore`.

MindSpore 2.7 chooses protobuf's implementation in pure Python, and its own print schema fails to
load once another is there: so reading print files imports no protobuf.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.conftest import FIXTURES, ROOT

pytestmark = pytest.mark.integration

FILES = ["new_mixed.pb", "old_mixed.pb", "new_special_floats.pb"]
IMPORTS = {
    "msdump first": "import msdump\nread()\nimport mindspore\n",
    "mindspore first": "import mindspore\nimport msdump\n",
    "between": "import msdump\nimport mindspore\n",
}
CODE = """
import json, sys
import numpy as np

def read():
    import msdump
    found = []
    for path in sys.argv[1:]:
        for record in msdump.read_print(path):
            for value in record.values:
                if not isinstance(value, str):
                    value = [str(value.dtype), list(value.shape), value.tobytes().hex()]
                found.append(value)
    return found

{imports}
def theirs():
    found = []
    for path in sys.argv[1:]:
        for value in mindspore.parse_print(path):
            if isinstance(value, str):
                found.append(value)
            else:
                array = value.asnumpy()
                found.append([str(array.dtype), list(array.shape), array.tobytes().hex()])
    return found

before = read()
print(json.dumps([before, theirs(), read()]))
"""


def run(python: str, code: str, *arguments: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "GLOG_v": "3"}
    done = subprocess.run(
        [python, "-c", code, *arguments], capture_output=True, env=environment, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr.decode()[-4000:]
    return done.stdout.decode()


@pytest.mark.parametrize("order", IMPORTS)
def test_both_read_one_file_in_one_process(mindspore_python: str, order: str) -> None:
    paths = [str(FIXTURES / "print" / "mindspore" / name) for name in FILES]
    lines = run(mindspore_python, CODE.replace("{imports}", IMPORTS[order]), *paths).splitlines()
    before, theirs, after = json.loads(lines[-1])
    assert len(before) > 10
    assert before == theirs
    assert after == theirs


@pytest.mark.parametrize("first", ["mindspore", "msdump"])
def test_graph_schemas_load_beside_mindspores_own(mindspore_python: str, first: str) -> None:
    imports = ["import mindspore", "from msdump._proto import anf_ir_pb2, mind_ir_pb2, print_pb2, dump_data_pb2"]
    if first == "msdump":
        # MindSpore has to choose protobuf's implementation: what loads one before it must take the same.
        imports = ["import os", "os.environ['PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION'] = 'python'", *imports[::-1]]
    code = "\n".join(
        [
            *imports,
            "from mindspore.train import mind_ir_pb2 as theirs",
            "ours = mind_ir_pb2.ModelProto(producer_name='a', mind_ir_version=3)",
            "read = theirs.ModelProto.FromString(ours.SerializeToString())",
            "print(read.producer_name, read.mind_ir_version, theirs.DESCRIPTOR.name, mind_ir_pb2.DESCRIPTOR.name)",
        ]
    )
    last = run(mindspore_python, code).splitlines()[-1].split()
    assert last[:2] == ["a", "3"]
    assert last[3] == "msdump/_proto/mind_ir.proto"
    assert last[2] != last[3]


def test_this_python_loads_the_schemas() -> None:
    out = run(sys.executable, "from msdump._proto import print_pb2\nprint(print_pb2.DESCRIPTOR.package)")
    assert out.strip() == "msdump.print"
