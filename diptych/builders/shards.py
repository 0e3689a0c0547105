"""Finished shards on disk: one Arrow file a logical shard, with its ledger inside, written whole or not at all."""

import os
from dataclasses import dataclass
from pathlib import Path

import orjson
import pyarrow as pa

from diptych.builders.ledger import Ledger

SHARD_ROWS = 4096
"""Inputs in one logical shard: it decides how often a killed build saves its work, never the bytes it makes."""


@dataclass(frozen=True, slots=True)
class ShardStore:
    """The folder of one split's finished shards under one recipe fingerprint."""

    folder: Path

    def path(self, index: int) -> Path:
        """Where a shard lies once it is finished."""
        return self.folder / f"{index:05d}.arrow"

    def missing(self, shards: int) -> list[int]:
        """The shards that are still to be made."""
        return [index for index in range(shards) if not self.path(index).exists()]

    def write(self, index: int, table: pa.Table, ledger: Ledger) -> None:
        """Keep a finished shard: under a temporary name, flushed to the disk, then renamed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.path(index)
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        table = table.replace_schema_metadata({b"ledger": orjson.dumps(ledger.as_json())})
        with open(temporary, "wb") as file:
            with pa.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)

    def read(self, index: int) -> tuple[pa.Table, Ledger]:
        """A finished shard's rows and ledger."""
        with pa.memory_map(str(self.path(index))) as source:
            table = pa.ipc.open_file(source).read_all()
        ledger = Ledger.from_json(orjson.loads(table.schema.metadata[b"ledger"]))
        return table.replace_schema_metadata(None), ledger
