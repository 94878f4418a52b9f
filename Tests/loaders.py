"""Reads crops of unlike photos with the loaders that are installed: loaders.py PROGRAM FOLDER

Needs Pillow and NumPy; webdataset, datasets, Ray, torch and the package viewport are used where they are installed. Each loader
has to give the pictures in one shape, equal to Pillow's own cut of the upright photo in sRGB within the error of JPEG, and all
classes, texts and labels. The programs of samples/training are run, too.
"""

import importlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import tarfile

import numpy as np
import PIL.Image
import PIL.ImageCms
import PIL.ImageOps

SIZE = 64
samples = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "samples", "training")


def photo(seed, width=210, height=150):
    """A smooth picture, which JPEG changes little."""
    y, x = np.mgrid[0:height, 0:width]
    base = np.stack([x * 200 / width + seed * 2, y * 200 / height + 20, (x + y) * 220 / (width + height)], axis=-1)
    return (base + 20 * np.sin(x / 17 + seed)[..., None]).clip(0, 255).astype(np.uint8)


def make(folder):
    """24 photos in all kinds of samples, containers and orientations; returns their paths."""
    paths = []

    def save(name, image, **options):
        paths.append(os.path.join(folder, name))
        image.save(paths[-1], **options)

    def colors(seed):
        return PIL.Image.fromarray(photo(seed))

    def clear(seed):
        pixels = photo(seed)
        opacity = np.linspace(0, 255, pixels.shape[1]).astype(np.uint8)
        return PIL.Image.fromarray(np.dstack([pixels, np.broadcast_to(opacity, pixels.shape[:2])]))

    for orientation in range(1, 9):
        exif = PIL.Image.Exif()
        exif[0x0112] = orientation
        save(f"turned{orientation}.jpg", colors(orientation), quality=95, exif=exif)
    save("gray.jpg", colors(9).convert("L"), quality=95)
    save("gray.png", colors(10).convert("L"))
    save("gray-clear.png", clear(11).convert("LA"))
    save("clear.png", clear(12))
    save("clear.webp", clear(13), lossless=True, exact=True)
    deep = photo(14)[..., 0].astype(np.uint16) * 257 + 30
    save("deep.png", PIL.Image.fromarray(deep))
    save("deep.tif", PIL.Image.fromarray(deep[::-1].copy()))
    save("palette.png", colors(16).quantize(200))
    hole = colors(17).quantize(100)
    save("palette-clear.png", hole, transparency=3)
    frames = [colors(18 + number).quantize(64) for number in range(3)]
    save("animated.gif", frames[0], save_all=True, append_images=frames[1:], duration=80)
    save("animated.webp", colors(21), save_all=True, append_images=[colors(22)], duration=80, lossless=True)
    save("cmyk.jpg", colors(20).convert("CMYK"), quality=95)
    save("cmyk.tif", colors(21).convert("CMYK"))
    save("black.png", colors(22).convert("1"))
    save("color.tif", colors(23))
    save("lossless.webp", colors(24), lossless=True)
    assert len(paths) == 24
    return paths


def expected(path, rect):
    """Pillow's own cut of the upright picture in sRGB over white."""
    image = PIL.Image.open(path)
    image.seek(0)
    if image.mode.startswith("I"):
        image = PIL.Image.fromarray((np.asarray(image) / 257).round().astype(np.uint8))
    image = PIL.ImageOps.exif_transpose(image)
    image = image.convert("RGBA") if image.mode in ("LA", "PA") or "transparency" in image.info else image
    if image.mode == "RGBA":
        image = PIL.Image.alpha_composite(PIL.Image.new("RGBA", image.size, "white"), image)
    x, y, width, height = rect
    return np.asarray(image.convert("RGB").crop((x, y, x + width, y + height)), np.int16)


class Check:
    """What each sample has to be, by the number in its key."""

    def __init__(self, archive, lines, folder):
        self.archive, self.lines, self.folder = archive, lines, folder
        self.classes = sorted({line["label"] for line in lines})
        self.scores = any(line.get("score") for line in lines)

    def sample(self, key, picture, number, text, description):
        picture = np.asarray(picture)
        line = self.lines[int(key.split("-")[0])]
        assert picture.shape == (SIZE, SIZE, 3) and picture.dtype == np.uint8, (line, picture.shape, picture.dtype)
        # CMYK without a profile has no one meaning: its colors are compared with the crops of a PNG.
        if "cmyk" not in line["path"]:
            error = abs(picture - expected(os.path.join(self.folder, line["path"]), line["rect"]))
            # Of a picture of black and white, and of a palette's, edges are sharp.
            most = 12 if "black" in line["path"] else 3
            assert error.mean() < most, (line, error.mean())
        assert int(number) == self.classes.index(line["label"]), (line, number)
        assert text == line.get("caption", ""), (line, text)
        labels = description["labels"]
        assert labels["label"] == line["label"] and labels["score"] == line.get("score"), (line, labels)
        assert labels["score"] is None or type(labels["score"]) is float
        assert description["rect"] == line["rect"] and description["path"] == line["path"]

    def all(self, name, found):
        keys = [self.sample(*one) or one[0] for one in found]
        assert len(keys) == len(set(keys)) == len(self.lines), (name, len(keys))
        print(f"{name}: {len(keys)} crops of {len({line['path'] for line in self.lines})} photos are right")


def as_stored(archive):
    with tarfile.open(archive) as members:
        contents = {member.name: members.extractfile(member).read() for member in members}
    for name in sorted(contents):
        if name.endswith(".jpg"):
            key = name[:-4]
            yield (key, PIL.Image.open(io.BytesIO(contents[name])), contents[f"{key}.cls"], contents[f"{key}.txt"].decode(),
                   json.loads(contents[f"{key}.json"]))


def with_webdataset(check):
    import webdataset

    data = webdataset.WebDataset(check.archive, shardshuffle=False).decode("pil")
    check.all("webdataset", (tuple(one[name] for name in ("__key__", "jpg", "cls", "txt", "json")) for one in data))


def with_datasets(check):
    import datasets

    for streaming in False, True:
        rows = datasets.load_dataset("webdataset", data_files={"train": check.archive}, split="train", streaming=streaming)
        check.all(f"datasets, streaming={streaming}",
                  ((row["__key__"], row["jpg"], row["cls"], row["txt"], row["json"]) for row in rows))


def with_ray(check):
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    rows = ray.data.read_webdataset(check.archive).take_all()
    check.all("Ray", ((row["__key__"], row["jpg"], row["cls"], row["txt"], row["json"]) for row in rows))
    shapes = {batch["jpg"].shape[1:] for batch in ray.data.read_webdataset(check.archive).iter_batches(batch_size=8)}
    assert shapes == {(SIZE, SIZE, 3)}, shapes
    ray.shutdown()


def with_torch(check):
    import torch
    import torch.utils.data

    class Archive(torch.utils.data.IterableDataset):
        def __iter__(self):
            share = torch.utils.data.get_worker_info()
            first, step = (share.id, share.num_workers) if share else (0, 1)
            for number, (key, picture, label, text, description) in enumerate(as_stored(check.archive)):
                if number % step == first:
                    yield key, np.asarray(picture).copy(), int(label), text, json.dumps(description)

    found = []
    for keys, pictures, labels, texts, descriptions in torch.utils.data.DataLoader(Archive(), batch_size=8, num_workers=2):
        assert pictures.shape[1:] == (SIZE, SIZE, 3) and pictures.dtype == torch.uint8
        found += zip(keys, pictures.numpy(), labels, texts, map(json.loads, descriptions))
    check.all("torch's DataLoader", found)


def installed(name):
    # Tests/viewport beside this file is a folder, not the package.
    return getattr(importlib.util.find_spec(name), "origin", None) is not None


def run_samples(program, folder):
    """The programs of the article, in a folder with big.jpg, photos and archives."""
    os.makedirs(os.path.join(folder, "photos"))
    for number in range(4):
        PIL.Image.fromarray(photo(number, 900, 700)).save(os.path.join(folder, "photos", f"{number}.jpg"), quality=95)
    PIL.Image.fromarray(photo(5, 1500, 1100)).save(os.path.join(folder, "big.jpg"), quality=95)
    with open(os.path.join(folder, "places.jsonl"), "w", encoding="utf-8") as lines:
        for number in range(40):
            lines.write(json.dumps({"path": f"photos/{number % 4}.jpg", "rect": [number * 10, 0, 64, 64],
                                    "label": ["fat", "tissue"][number % 2]}) + "\n")

    def viewport(*arguments):
        subprocess.run([program, *arguments, "--quiet"], cwd=folder, check=True)

    viewport("crops", "--manifest", "places.jsonl", "--size", "64", "--class", "label", "-o", "crops.tar")
    viewport("crops", "big.jpg", "--grid", "--size", "512", "--overlap", "64", "-o", "tiles.tar")
    needs = {"webdataset_classes": ["webdataset", "torch"], "datasets_archive": ["datasets"], "ray_archive": ["ray"],
             "torch_random": ["torch", "viewport"], "stitch_tiles": []}
    assert {f"{name}.py" for name in needs} == {name for name in os.listdir(samples) if name.endswith(".py")}
    expectations = {
        "webdataset_classes": "torch.Size([16, 3, 64, 64])", "datasets_archive": "(64, 64, 3) 1 {'label': 'tissue'}",
        "ray_archive": "(16, 64, 64, 3)", "torch_random": "torch.Size([16, 64, 64, 3]) torch.uint8", "stitch_tiles": ""}
    for name, others in needs.items():
        lacking = [other for other in others if not installed(other)]
        if lacking:
            print(f"SKIPPED: samples/training/{name}.py: {', '.join(lacking)} is not installed")
            continue
        done = subprocess.run([sys.executable, os.path.join(samples, f"{name}.py")], cwd=folder, stdout=subprocess.PIPE, text=True)
        assert done.returncode == 0 and expectations[name] in done.stdout, (name, done.returncode, done.stdout[-2000:])
        print(f"samples/training/{name}.py runs")
    viewport("stitch", "tiles_grid.json", "predictions.tar", "-o", "map.npy")
    joined = np.load(os.path.join(folder, "map.npy"))
    whole = np.asarray(PIL.Image.open(os.path.join(folder, "big.jpg"))).mean(axis=2) / 255
    assert joined.shape == whole.shape and joined.dtype == np.float64 and abs(joined - whole).mean() < 0.01
    print("stitch joins predictions without a seam")


def main(program, folder):
    for name in ("numpy", "pillow", "webdataset", "datasets", "ray", "torch", "viewport"):
        module = {"pillow": "PIL"}.get(name, name)
        print(name, importlib.import_module(module).__version__ if installed(module) else "is not installed")
    os.environ.update(HF_HOME=os.path.join(folder, "hf"), HF_HUB_OFFLINE="1", RAY_USAGE_STATS_ENABLED="0")
    photos = os.path.join(folder, "all")
    os.makedirs(photos)
    lines = []
    for number, path in enumerate(make(photos)):
        for place in range(3):
            # A photo that is turned by 90 degrees has 150 columns.
            line = {"path": os.path.basename(path), "rect": [10 + 30 * place, 5 + 40 * place, SIZE, SIZE],
                    "label": ["sea", "hill", "air"][(number + place) % 3], "score": [1, 0.5][place] if place < 2 else None}
            if line["score"] is None:
                del line["score"]
            if number % 2:
                line["caption"] = f"photo {number} — {place}"
            lines.append(line)
    list_path = os.path.join(folder, "list.jsonl")
    with open(list_path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    archive = os.path.join(folder, "all.tar")
    for form in "png", "jpg":
        subprocess.run([program, "crops", "--manifest", list_path, "--root", photos, "--size", str(SIZE), "--class", "label",
                        "--text", "caption", "--quiet", "--crop-format", form, "-o", archive.replace("all", form)], check=True)
    check = Check(archive.replace("all", "jpg"), lines, photos)
    check.all("tarfile and Pillow", as_stored(check.archive))
    # PNG crops are those pixels, and JPEG crops like them, also of CMYK.
    with tarfile.open(archive.replace("all", "png")) as exact:
        exact = {name.split("-")[0]: np.asarray(PIL.Image.open(exact.extractfile(name)), np.int16)
                 for name in exact.getnames() if name.endswith(".png")}
    for key, picture, *_ in as_stored(check.archive):
        line, pixels = lines[int(key.split("-")[0])], exact[key.split("-")[0]]
        assert abs(pixels - np.asarray(picture)).mean() < (12 if "black" in line["path"] else 3), line
        if "cmyk" not in line["path"]:
            assert abs(pixels - expected(os.path.join(photos, line["path"]), line["rect"])).max() <= 3, line
    for name, test in {"webdataset": with_webdataset, "datasets": with_datasets, "ray": with_ray, "torch": with_torch}.items():
        if installed(name):
            test(check)
    run_samples(program, os.path.join(folder, "samples"))
    print("crops are read right by all loaders that are installed")


# Workers that are spawned import this file.
if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))
