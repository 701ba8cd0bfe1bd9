"""Elements narrower than a byte, as dump files hold them: the same as everywhere."""

from msdump.formats.packed import capacity as capacity
from msdump.formats.packed import pack as pack
from msdump.formats.packed import packed_bytes as packed_bytes
from msdump.formats.packed import plain as plain
from msdump.formats.packed import unpack as unpack
