"""Start one program, wait, and say on standard output what it took.

A program of its own, and small: on Linux a child's peak memory begins at that of the process which started it.
Below about 10 MB the figures are this file's, not the program's.
"""

import os
import resource
import sys
import time

# A program that does not end is ended by the system; children inherit the limit.
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
