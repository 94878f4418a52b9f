"""Blocks of pictures and classes: viewport crops --manifest places.jsonl --size 64 --class label -o crops.tar"""

import ray

ray.init(num_cpus=2, include_dashboard=False)
crops = ray.data.read_webdataset("crops.tar")
for batch in crops.iter_batches(batch_size=16, batch_format="numpy"):
    print(batch["jpg"].shape, list(batch["cls"]))
