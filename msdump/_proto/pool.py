"""Message classes from serialized descriptors, in a descriptor pool of msdump's own.

A pool of its own keeps the schemas apart from those of a MindSpore imported into the same process,
which has messages of the same names. The classes are made by what each protobuf has for it:
`GetMessageClass` since 4.22, `MessageFactory` before.
"""

from __future__ import annotations

import base64
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_POOL = descriptor_pool.DescriptorPool()


def define(namespace: dict[str, Any], text: str) -> None:
    """Put the message classes, enumerations and enumeration values of a file into a module.

    Args:
        namespace: the module's `globals()`.
        text: a FileDescriptorSet of one file, in base64.
    """
    files = descriptor_pb2.FileDescriptorSet.FromString(base64.b64decode(text))
    name = files.file[0].name
    _POOL.AddSerializedFile(files.file[0].SerializeToString())
    file = _POOL.FindFileByName(name)
    namespace["DESCRIPTOR"] = file
    for message in file.message_types_by_name.values():
        namespace[message.name] = _message_class(message)
    for enum in file.enum_types_by_name.values():
        namespace.update({value.name: value.number for value in enum.values})


def _message_class(descriptor: Any) -> Any:
    made = getattr(message_factory, "GetMessageClass", None) or message_factory.MessageFactory(_POOL).GetPrototype
    return made(descriptor)
