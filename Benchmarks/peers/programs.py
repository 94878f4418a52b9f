"""The programs of this machine: ours and its peers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORKSHOP = ROOT / ".build" / "peers"
VIEWPORT = str(ROOT / ".build" / "release" / "viewport")
PYTHON = sys.executable


def find(*names):
    """The path of the first of these that is there, or None."""
    for name in names:
        path = shutil.which(name)
        # A script in a program's place would be timed with the start of its interpreter.
        if path and Path(path).read_bytes()[:2] != b"#!":
            return path
    return None


def image_magick():
    """ImageMagick itself: other programs, and wrappers, go by the name of `convert` too."""
    for name in ["magick", "convert-im6.q16", "convert"]:
        path = find(name)
        if path and "ImageMagick" in said(path, "-version"):
            return path
    return None


def said(*command):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    return (done.stdout + done.stderr).strip()


def has_command(name):
    """Whether this `viewport` knows a subcommand."""
    help = subprocess.run([VIEWPORT, name, "--help"], capture_output=True, text=True)
    # An unknown subcommand's help is the root's.
    return help.returncode == 0 and f"viewport {name}" in help.stdout


def module(name):
    """Whether Python has a module, and it can be loaded with what it needs."""
    return subprocess.run([PYTHON, "-c", f"import {name}"], capture_output=True).returncode == 0


def versions():
    """Who takes part, in a sentence."""
    lines = []
    if vips := find("vips"):
        lines.append(said(vips, "--version").splitlines()[0].replace("vips-", "libvips "))
    if djpeg := find("djpeg"):
        lines.append(said(djpeg, "-version").split(" (build")[0])
    if magick := image_magick():
        lines.append(" ".join(said(magick, "-version").split()[1:3]))
    if gm := find("gm"):
        lines.append(" ".join(said(gm, "version").split()[:2]))
    for name in ["PIL", "pyvips"]:
        if module(name):
            version = said(PYTHON, "-c", f"import {name}; print({name}.__version__)")
            lines.append(f"{name.replace('PIL', 'Pillow')} {version}")
    return ", ".join(lines) + f"; {len(os.sched_getaffinity(0))} processors"
