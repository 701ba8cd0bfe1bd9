"""Tensor dumps as a library: open one, compare two, compute one again.

This is a front door: its modules tie the readers (msdump.formats.dump), the comparison
(msdump.diff.dumps), graphs and the executor together, and hold no algorithm of their own.
"""
