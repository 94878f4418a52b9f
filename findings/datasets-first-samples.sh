#!/usr/bin/env bash
# Hugging Face datasets 5.2.0 takes the types of a tar archive's JSON files from the first five samples.
#
# Run by hand, not in CI: installs packages from PyPI into a temporary folder, makes archives of eight samples in the form of
# WebDataset, and reads them with load_dataset("webdataset"), streamed and not. Ends with 1 if what is seen has changed.
#
# Expected: the values of the files, or an error; the same streamed and not.
# Seen, with datasets 5.2.0 and pyarrow 26.0.1:
#   - Five whole numbers, then 0.5: the latter become 0, without an error or a warning, streamed and not.
#   - Five times true, then 7: the latter become True, streamed and not.
#   - A member that the first five lack is dropped, streamed and not.
#   - Five nulls, then 0.5: not streamed, DatasetGenerationError ("Couldn't cast array of type double to null"). Streamed, all
#     values are given, although the features say Value('null').
#   - One null, then 0.5, is read right: the type comes from all of the first five.
# So a program that writes such archives gives all samples the same members, writes numbers with a point in all samples if one
# is a fraction, and has a sample with a value among the first five.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check datasets==5.2.0 pyarrow==26.0.1
cd "$work"
HF_HOME=$work/hf HF_HUB_OFFLINE=1 HF_DATASETS_DISABLE_PROGRESS_BARS=1 "$work/venv/bin/python" - <<'PROGRAM'
import io
import json
import sys
import tarfile

import datasets
import pyarrow

print("datasets", datasets.__version__, "pyarrow", pyarrow.__version__)


def seen(name, objects):
    """What is read, streamed and not, or the name of an error."""
    with tarfile.open(f"{name}.tar", "w") as archive:
        for number, value in enumerate(objects):
            for ending, content in ("txt", b"text"), ("json", json.dumps(value).encode()):
                member = tarfile.TarInfo(f"{number:03}.{ending}")
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    found = []
    for streaming in True, False:
        try:
            rows = datasets.load_dataset("webdataset", data_files={"train": f"{name}.tar"}, split="train", streaming=streaming)
            found.append([row["json"] for row in rows][-1])
        except datasets.exceptions.DatasetGenerationError as error:
            found.append(type(error).__name__)
    return found


cases = {
    "whole": ([{"a": 1}] * 5 + [{"a": 0.5}] * 3, [{"a": 0}, {"a": 0}]),
    "true": ([{"a": True}] * 5 + [{"a": 7}] * 3, [{"a": True}, {"a": True}]),
    "lacking": ([{"b": 1}] * 5 + [{"b": 1, "a": "x"}] * 3, [{"b": 1}, {"b": 1}]),
    "null": ([{"a": None}] * 5 + [{"a": 0.5}] * 3, [{"a": 0.5}, "DatasetGenerationError"]),
    "one": ([{"a": None}] + [{"a": 0.5}] * 7, [{"a": 0.5}, {"a": 0.5}]),
}
changed = 0
for name, (objects, expected) in cases.items():
    found = seen(name, objects)
    same = [json.dumps(one) for one in found] == [json.dumps(one) for one in expected]
    print(name, "streamed and not:", *found, "" if same else f"(was {expected})")
    changed += not same
sys.exit(changed > 0)
PROGRAM
