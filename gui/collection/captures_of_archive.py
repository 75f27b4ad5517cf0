# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the table `captures` of an archive, a row a line as JSON; moments and times as whole nanoseconds."""
import json
import pathlib
import sys

try:
    import pyarrow
    import pyarrow.parquet
except ImportError as error:
    sys.exit(f"{sys.executable} cannot load pyarrow ({error}): install it, or name another Python in SANSCOPE_PYTHON")


def plain(column):
    if pyarrow.types.is_timestamp(column.type) or pyarrow.types.is_duration(column.type):
        return column.cast(pyarrow.int64())
    if pyarrow.types.is_dictionary(column.type):
        return column.cast(column.type.value_type)
    return column


for path in sorted(pathlib.Path(sys.argv[1]).rglob("captures.parquet")):
    for batch in pyarrow.parquet.ParquetFile(path).iter_batches():
        table = pyarrow.table({name: plain(column) for name, column in zip(batch.schema.names, batch.columns)})
        for row in table.to_pylist():
            print(json.dumps({name: value for name, value in row.items() if value is not None}))
    sys.stdout.flush()
