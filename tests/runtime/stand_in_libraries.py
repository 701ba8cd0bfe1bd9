"""Empty stand-ins for the CUDA and OpenSSL libraries that mindspore-gpu 1.1 is linked with.

MindSpore 1.1 is on the package index for GPU alone (mindspore-gpu==1.1.1, Python 3.7). Its library
loads where every symbol that it names exists; what it records here (names, kinds, its context)
calls none of them. Needs gcc and nm.

    python3.7 -m venv v11
    v11/bin/pip install mindspore-gpu==1.1.1
    python tests/runtime/stand_in_libraries.py v11/lib/python3.7/site-packages/mindspore stand-ins
    LD_LIBRARY_PATH=stand-ins v11/bin/python tests/runtime/record_context.py …
"""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

VERSIONED = {"OPENSSL_1_1_0": ("libssl.so.1.1", "libcrypto.so.1.1")}


def undefined(package: Path) -> dict[str, set[str]]:
    """Version of a library → names that the package takes from it; "" for those without a version."""
    found: dict[str, set[str]] = defaultdict(set)
    libraries = [*package.glob("_c_expression*.so"), *package.glob("lib/libgpu_*.so"), *package.glob("lib/*event_o*")]
    for library in libraries:
        listed = subprocess.run(
            ["nm", "-D", "--undefined-only", str(library)], check=True, capture_output=True, text=True
        ).stdout
        for line in listed.splitlines():
            name, _, version = line.split()[-1].partition("@")
            if version.startswith(("libcu", "OPENSSL")):
                found[version].add(name)
            elif not version and name.startswith("cu"):
                found[""].add(name)
    return found


def main(package: Path, folder: Path) -> None:
    """Make the libraries in a folder."""
    folder.mkdir(exist_ok=True)
    for version, names in undefined(package).items():
        source, script = folder / "names.c", folder / "names.map"
        source.write_text("".join(f"int {name}(void) {{ return 1; }}\n" for name in sorted(names)))
        script.write_text(f"{version} {{ global: *; }};\n" if version else "")
        for library in VERSIONED.get(version, (version or "libcuda.so.1",)):
            versioned = [f"-Wl,--version-script={script}"] if version else []
            words = ["-shared", "-fPIC", "-w", "-fno-builtin", f"-Wl,-soname,{library}", *versioned]
            subprocess.run(["gcc", *words, "-o", str(folder / library), str(source)], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
