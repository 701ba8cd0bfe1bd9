"""A print.pb that is being written, record by record as they become whole."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

from msdump.errors import ReadError, TruncatedError
from msdump.formats.mapped import open_mapped
from msdump.formats.print_pb.records import iter_records
from msdump.records import PrintRecord
from msdump.source import BytePlace


def follow(path: str, *, start: int = 0, poll: float = 0.2, stop: Callable[[], bool]) -> Iterator[PrintRecord]:
    """See msdump.io.follow_print."""
    index = 0
    while True:
        ending = stop()
        size = os.stat(path).st_size
        if size < start:
            raise ReadError(f"the file was cut to {size:,} bytes while it was followed", BytePlace(path, start))
        if size > start:
            file = open_mapped(path)
            end = file.size
            try:
                for record in iter_records(file, start=start, first=index):
                    index = record.index + 1
                    yield record
            except TruncatedError as error:
                # The record that is being written begins there; what is before it was given.
                if isinstance(error.where, BytePlace):
                    end = error.where.offset
            start = end
        if ending:
            return
        time.sleep(poll)
