"""A file system that shows a folder, read-only, through FUSE, as a network share does: stopped by SIGSTOP, it hangs.

usage: hanging-share.py FOLDER MOUNTPOINT PIDFILE

Returns when it is mounted; the process whose number is in PIDFILE serves it until it is killed. Nothing is cached: each
look at a file is a request to it. After SIGUSR1 it answers all but reads of bytes, after SIGUSR2 these, too. It speaks
the protocol of <linux/fuse.h>, version 7.31, and needs no library.
"""

import ctypes
import errno
import os
import signal
import stat
import struct
import sys

FOLDER, MOUNTPOINT, PIDFILE = (os.path.abspath(path) for path in sys.argv[1:4])
LOOKUP, FORGET, GETATTR, OPEN, READ, RELEASE, FLUSH, INIT = 1, 2, 3, 14, 15, 18, 25, 26
OPENDIR, READDIR, RELEASEDIR, INTERRUPT, DESTROY, BATCH_FORGET = 27, 28, 29, 36, 38, 42
# The system keeps no pages, and a process can end though the share does not answer: not even SIGKILL ends a flush.
DIRECT, NO_FLUSH = 1 << 0, 1 << 5
UNANSWERED = {FORGET, INTERRUPT, DESTROY, BATCH_FORGET}

paths = {1: FOLDER}
nodes = {FOLDER: 1}
files = {}
held = []
holds = False


def attributes(path, node):
    found = os.lstat(path)
    times = found.st_atime_ns, found.st_mtime_ns, found.st_ctime_ns
    return struct.pack(
        "=6Q10I", node, found.st_size, found.st_blocks, *(time // 10**9 for time in times),
        *(time % 10**9 for time in times), found.st_mode, found.st_nlink, found.st_uid, found.st_gid, 0, 4096, 0)


def lookup(node, body):
    path = os.path.join(os.fsencode(paths[node]), body.rstrip(b"\0"))
    found = nodes.setdefault(path := os.fsdecode(path), len(paths) + 1)
    attributes(path, found)
    paths[found] = path
    return struct.pack("=4Q2I", found, 0, 0, 0, 0, 0) + attributes(path, found)


def open_file(node):
    file = os.open(paths[node], os.O_RDONLY)
    files[file] = None
    return struct.pack("=Q2I", file, DIRECT | NO_FLUSH, 0)


def read_folder(node, body):
    _, offset, size = struct.unpack_from("=2QI", body)
    entries = b""
    for number, name in enumerate(sorted(os.listdir(os.fsencode(paths[node])))):
        if number < offset:
            continue
        mode = os.lstat(os.path.join(os.fsencode(paths[node]), name)).st_mode
        entry = struct.pack("=2Q2I", number + 2, number + 1, len(name), stat.S_IFMT(mode) >> 12) + name
        entry += bytes(-len(entry) % 8)
        if len(entries) + len(entry) > size:
            break
        entries += entry
    return entries


def answer(operation, node, body):
    if operation == INIT:
        _, _, ahead, _ = struct.unpack_from("=4I", body)
        return struct.pack("=4I2H2I2HI7I", 7, 31, ahead, 0, 12, 9, 1 << 17, 1, 32, 0, 0, *[0] * 7)
    if operation == LOOKUP:
        return lookup(node, body)
    if operation == GETATTR:
        return struct.pack("=Q2I", 0, 0, 0) + attributes(paths[node], node)
    if operation == OPEN:
        return open_file(node)
    if operation == OPENDIR:
        return struct.pack("=Q2I", 0, 0, 0)
    if operation == READ:
        file, offset, size = struct.unpack_from("=2QI", body)
        return os.pread(file, size, offset)
    if operation == READDIR:
        return read_folder(node, body)
    if operation == RELEASE:
        os.close(struct.unpack_from("=Q", body)[0])
        return b""
    if operation == RELEASEDIR:
        return b""
    raise OSError(errno.ENOSYS, "")


def respond(device, operation, unique, node, body):
    try:
        result, error = answer(operation, node, body), 0
    except OSError as failure:
        result, error = b"", failure.errno
    os.write(device, struct.pack("=IiQ", 16 + len(result), -error, unique) + result)


def release(device):
    global holds
    holds = False
    while held:
        respond(device, *held.pop(0))


def hold(*_):
    global holds
    holds = True


device = os.open("/dev/fuse", os.O_RDWR)
libc = ctypes.CDLL(None, use_errno=True)
options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
if libc.mount(b"share", os.fsencode(MOUNTPOINT), b"fuse.share", 5, options) != 0:
    sys.exit(os.strerror(ctypes.get_errno()))
if child := os.fork():
    with open(PIDFILE, "w") as file:
        file.write(str(child))
    os._exit(0)
os.setsid()
for stream in range(3):
    os.dup2(os.open("/dev/null", os.O_RDWR), stream)
# Whoever waits for the end of the parent waits for the end of what it inherited, too.
os.closerange(3, device)
os.closerange(device + 1, 1 << 16)
signal.signal(signal.SIGUSR1, hold)
signal.signal(signal.SIGUSR2, lambda *_: release(device))
while True:
    request = os.read(device, 1 << 20)
    _, operation, unique, node = struct.unpack_from("=2I2Q", request)
    if operation in UNANSWERED:
        continue
    work = operation, unique, node, request[40:]
    if holds and operation == READ:
        held.append(work)
    else:
        respond(device, *work)
