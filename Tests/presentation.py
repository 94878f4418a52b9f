"""Parses the collections and manifests of a server, and a manifest in a file, with iiif-prezi3, and compares its output.

Usage: presentation.py BASE-URL FILE
"""
import json
import sys
import urllib.request

from iiif_prezi3 import Collection, Manifest

TYPES = {"Collection": Collection, "Manifest": Manifest}
base, path = sys.argv[1:]
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


def fetch(address):
    with urllib.request.urlopen(address) as response:
        document = check(response.read(), address)
    if document["id"] != address:
        sys.exit(f"{address}: has the id {document['id']}")
    if document["type"] == "Collection":
        for item in document["items"]:
            if fetch(item["id"])["type"] != item["type"]:
                sys.exit(f"{item['id']}: is no {item['type']}")
    return document


fetch(f"{base}/presentation/collection.json")
with open(path, encoding="utf-8") as file:
    document = check(file.read(), path)
if len(document["items"]) != 1005 or len(document["structures"]) != 2:
    sys.exit(f"{path}: has {len(document['items'])} canvases and {len(document['structures'])} ranges")
print(f"iiif-prezi3 parsed {count['Collection']} collections and {count['Manifest']} manifests, {count['Canvas']} canvases")
