"""Rows of pictures, classes and labels: viewport crops --manifest places.jsonl --size 64 --class label -o crops.tar"""

import numpy
from datasets import load_dataset

crops = load_dataset("webdataset", data_files={"train": "crops.tar"}, split="train", streaming=True)
for row in crops:
    picture = numpy.asarray(row["jpg"])
    print(row["__key__"], picture.shape, row["cls"], row["json"]["labels"])
