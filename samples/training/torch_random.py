"""Random crops without an archive, the same ones with any number of workers."""

import glob
import torch
import viewport

if __name__ == "__main__":
    crops = viewport.RandomCrops(sorted(glob.glob("photos/*.jpg")), size=64, count=40, seed=7)
    for batch in torch.utils.data.DataLoader(crops, batch_size=16, num_workers=2):
        print(batch.shape, batch.dtype)
