"""The programs on this machine: viewport and its peers."""

import functools
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
    """The path of the first of these programs that is installed, or None."""
    for name in names:
        path = shutil.which(name)
        # For a wrapper script, the start of its interpreter would be measured.
        if path and Path(path).read_bytes()[:2] != b"#!":
            return path
    return None


def image_magick():
    """The path of ImageMagick; other programs and wrappers are called `convert`, too."""
    for name in ["magick", "convert-im6.q16", "convert"]:
        path = find(name)
        if path and "ImageMagick" in output_of(path, "-version"):
            return path
    return None


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    return (done.stdout + done.stderr).strip()


def has_command(name):
    """Whether this `viewport` has a subcommand."""
    help = subprocess.run([VIEWPORT, name, "--help"], capture_output=True, text=True)
    # The help of an unknown subcommand is that of the root.
    return help.returncode == 0 and f"viewport {name}" in help.stdout


def module(name):
    """Whether Python can import a module."""
    return subprocess.run([PYTHON, "-c", f"import {name}"], capture_output=True).returncode == 0


@functools.cache
def newest_vips():
    """A Python with the libvips of PyPI's pyvips-binary, the newest, and its version; None where it is not installed."""
    python = WORKSHOP / "newest" / "bin" / "python"
    text = "import pyvips; print(pyvips.base.version(0), pyvips.base.version(1), pyvips.base.version(2), sep='.')"
    if not python.exists():
        return None
    done = subprocess.run([python, "-c", text], capture_output=True, text=True)
    return (str(python), done.stdout.strip()) if done.returncode == 0 else None


def versions():
    """The versions of all peers, in one line."""
    lines = []
    if vips := find("vips"):
        lines.append(output_of(vips, "--version").splitlines()[0].replace("vips-", "libvips "))
    if newest := newest_vips():
        lines.append(f"libvips {newest[1]} of PyPI's pyvips-binary")
    if ffmpeg := find("ffmpeg"):
        lines.append(" ".join(output_of(ffmpeg, "-version").split()[0:3]).replace(" version", ""))
    if djpeg := find("djpeg"):
        lines.append(output_of(djpeg, "-version").split(" (build")[0])
    if magick := image_magick():
        lines.append(" ".join(output_of(magick, "-version").split()[1:3]))
    if gm := find("gm"):
        lines.append(" ".join(output_of(gm, "version").split()[:2]))
    for name in ["PIL", "pyvips"]:
        if module(name):
            version = output_of(PYTHON, "-c", f"import {name}; print({name}.__version__)")
            lines.append(f"{name.replace('PIL', 'Pillow')} {version}")
    return ", ".join(lines) + f"; {len(os.sched_getaffinity(0))} processors"
