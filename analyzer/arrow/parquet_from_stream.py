# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads an Arrow IPC stream from standard input and writes it as Parquet to file descriptor 3."""
import os
import sys

try:
    import pyarrow
    import pyarrow.parquet
except ImportError as error:
    sys.exit(f"{sys.executable} cannot load pyarrow ({error}): install it, or name another Python in SANSCOPE_PYTHON")

ROW_GROUP = 256 * 1024

with os.fdopen(3, "wb") as output, pyarrow.ipc.open_stream(sys.stdin.buffer) as stream:
    # Version 2.6 is the first with moments in nanoseconds.
    with pyarrow.parquet.ParquetWriter(output, stream.schema, version="2.6", compression="zstd") as writer:
        batches, rows = [], 0

        def write():
            table = pyarrow.Table.from_batches(batches, stream.schema).unify_dictionaries()
            writer.write_table(table, row_group_size=ROW_GROUP)

        for batch in stream:
            batches.append(batch)
            rows += batch.num_rows
            if rows >= ROW_GROUP:
                write()
                batches, rows = [], 0
        if batches:
            write()
