"""Starts a program, waits for it, and prints its time and peak memory.

A small, separate program: on Linux, the peak memory of a child starts at that of its parent. Figures below about
10 MB are those of this script.
"""

import os
import resource
import sys
import time

# The system kills a program that exceeds the limit; children inherit it.
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))

nothing = os.open(os.devnull, os.O_WRONLY)
began = time.perf_counter()
child = os.posix_spawnp(
    sys.argv[2], sys.argv[2:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, nothing, 1)]
)
_, status, usage = os.wait4(child, 0)
seconds = time.perf_counter() - began

# Linux counts kilobytes, macOS bytes.
peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(seconds, usage.ru_utime + usage.ru_stime, peak, os.waitstatus_to_exitcode(status))
