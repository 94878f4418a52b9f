"""Parses collections and manifests with iiif-prezi3, and compares its output.

Usage: presentation.py START... [--site URL FOLDER] [--file FILE CANVASES RANGES]

START is the URL of a collection, which is followed. The documents below the URL of a site are files of FOLDER.
"""
import argparse
import json
import sys
import urllib.parse
import urllib.request

from iiif_prezi3 import Collection, Manifest

TYPES = {"Collection": Collection, "Manifest": Manifest}
parser = argparse.ArgumentParser()
parser.add_argument("starts", nargs="*")
parser.add_argument("--site", nargs=2)
parser.add_argument("--file", nargs=3)
options = parser.parse_args()
count = {"Collection": 0, "Manifest": 0, "Canvas": 0}


def differences(ours, parsed, at=""):
    """Yields the places of members that the parser did not take, or took for something else."""
    if isinstance(ours, dict):
        for name, value in ours.items():
            if not isinstance(parsed, dict) or name not in parsed:
                yield f"{at}/{name}"
            else:
                yield from differences(value, parsed[name], f"{at}/{name}")
    elif isinstance(ours, list):
        if not isinstance(parsed, list) or len(parsed) != len(ours):
            yield at
        else:
            for index, value in enumerate(ours):
                yield from differences(value, parsed[index], f"{at}/{index}")
    elif ours != parsed:
        yield at


def check(text, name):
    document = json.loads(text)
    kind = document["type"]
    parsed = json.loads(TYPES[kind](**document).json())
    places = list(differences(document, parsed))
    if places:
        sys.exit(f"{name}: iiif-prezi3 reads {len(places)} places differently, such as {places[0]}")
    count[kind] += 1
    if kind == "Manifest":
        count["Canvas"] += len(document["items"])
    return document


def read(address):
    if options.site and address.startswith(options.site[0]):
        with open(options.site[1] + urllib.parse.unquote(address[len(options.site[0]):]), "rb") as file:
            return file.read()
    with urllib.request.urlopen(address) as response:
        return response.read()


def fetch(address):
    document = check(read(address), address)
    if document["id"] != address:
        sys.exit(f"{address}: has the id {document['id']}")
    if document["type"] == "Collection":
        for item in document["items"]:
            if fetch(item["id"])["type"] != item["type"]:
                sys.exit(f"{item['id']}: is no {item['type']}")
    return document


for start in options.starts:
    fetch(start)
if options.file:
    path, canvases, ranges = options.file
    with open(path, encoding="utf-8") as file:
        document = check(file.read(), path)
    if [len(document["items"]), len(document["structures"])] != [int(canvases), int(ranges)]:
        sys.exit(f"{path}: has {len(document['items'])} canvases and {len(document['structures'])} ranges")
print(f"iiif-prezi3 parsed {count['Collection']} collections and {count['Manifest']} manifests, {count['Canvas']} canvases")
