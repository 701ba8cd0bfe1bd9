"""Two dumps compared, and what one dump shows by itself.

pairs.py which tensor meets which · renames.py names that differ by rule · order.py execution order ·
measure.py one pair or a piece of it · run.py pieces on threads · cluster.py the same on Dask ·
journal.py what a killed run had done · statistics.py saved statistics · result.py what comes out ·
stats.py, nan.py, watch.py one dump alone.
"""

from __future__ import annotations
