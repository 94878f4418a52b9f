"""Batches of pictures and classes: viewport crops --manifest places.jsonl --size 64 --class label -o crops.tar"""

import torch
import webdataset

samples = webdataset.WebDataset("crops.tar", shardshuffle=False).decode("torchrgb").to_tuple("jpg", "cls")
for pictures, classes in torch.utils.data.DataLoader(samples, batch_size=16, num_workers=1):
    print(pictures.shape, classes)
