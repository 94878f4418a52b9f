#!/usr/bin/env python3
"""A TCP proxy with the round trip time and the bandwidth of a network, for figures of remote images.

    shaped_proxy.py --listen 8081 --to 127.0.0.1:8080 --rtt 50 --mbit 50

Every byte is delayed by half a round trip in each direction, and the first of a connection by one more round trip: the
handshake. All connections share the bandwidth towards the client. No more is under way than fits the line twice: what a
client that closes a connection does not get is not read from the server either. SIGUSR1 prints and resets the counts of
connections, requests and bytes, as one line of JSON.
"""
import argparse
import asyncio
import json
import signal
import sys
import time


class Link:
    """The bandwidth that all connections share, and what has passed."""

    def __init__(self, bytes_per_second):
        self.rate = bytes_per_second
        self.free = 0.0
        self.reset()

    def reset(self):
        self.connections = self.requests = self.sent = 0

    def departure(self, count):
        """Returns when the last of some bytes has left the link."""
        self.sent += count
        self.free = max(self.free, time.monotonic()) + count / self.rate
        return self.free


async def relay(reader, writer, delay, link, is_down, first_delay, most):
    """Passes bytes on after a delay."""
    queue = asyncio.Queue(maxsize=most)

    async def deliver():
        while True:
            due, data = await queue.get()
            await asyncio.sleep(max(0, due - time.monotonic()))
            if data is None:
                break
            writer.write(data)
            await writer.drain()
        writer.close()

    task = asyncio.create_task(deliver())
    start = time.monotonic() + first_delay
    try:
        while data := await reader.read(16384):
            now = max(time.monotonic(), start)
            if is_down:
                now = link.departure(len(data))
            else:
                link.requests += data.count(b"GET ") + data.count(b"HEAD ")
            putting = asyncio.create_task(queue.put((now + delay, data)))
            await asyncio.wait([putting, task], return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                putting.cancel()
                break
    except ConnectionError:
        pass
    try:
        if not task.done():
            await queue.put((time.monotonic() + delay, None))
        await task
    except ConnectionError:
        pass


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--listen", type=int, required=True)
    parser.add_argument("--to", required=True)
    parser.add_argument("--rtt", type=float, default=50)
    parser.add_argument("--mbit", type=float, default=50)
    arguments = parser.parse_args()
    host, port = arguments.to.rsplit(":", 1)
    link = Link(arguments.mbit * 1e6 / 8)
    rtt = arguments.rtt / 1000
    most = max(2, int(2 * rtt * link.rate / 16384))

    async def connect(reader, writer):
        link.connections += 1
        try:
            up_reader, up_writer = await asyncio.open_connection(host, int(port))
        except OSError:
            writer.close()
            return
        await asyncio.gather(
            relay(reader, up_writer, rtt / 2, link, False, rtt, 256),
            relay(up_reader, writer, rtt / 2, link, True, 0, most),
            return_exceptions=True)

    def report():
        print(json.dumps({"connections": link.connections, "requests": link.requests, "bytes": link.sent}))
        sys.stdout.flush()
        link.reset()

    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, report)
    server = await asyncio.start_server(connect, "127.0.0.1", arguments.listen)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
