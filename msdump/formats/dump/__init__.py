"""Tensor dumps: files, names, directories (formats/tensor-dump in docs/).

names.py what a file name says · npy.py, bin.py, overflow.py the files · packed.py, device_format.py
their elements and layouts · statistic.py, sidecars.py the tables beside them · layout.py directories ·
reading.py all of it as one dump · storage.py where it lies.
"""

from __future__ import annotations
