#!/usr/bin/env python3
"""Counts what parts of remote images take on web servers: seconds, bytes and requests, behind 50 ms and 50 Mbit/s.

    servers.py FOLDER --task "part=viewport render URL/big.jpg --rect 9000,7000,2048,1536 -o OUT/a.png" [--only nginx,apache]

FOLDER has the images with their sidecars. Servers that are not installed are left out with a message: nginx, apache2, lighttpd,
caddy, varnishd and haproxy (in front of nginx; haproxy's cache has all files), and of the Python packages starlette with uvicorn,
aiohttp, tornado, bottle and moto (files below 100 MB). Each runs with its own settings, on ports of the loopback.
"""
import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
NGINX = """
daemon off; pid {work}/nginx.pid; error_log {work}/nginx.log; user root; worker_processes 2;
events {{ worker_connections 256; }}
http {{ access_log off; client_body_temp_path {work}/n1; proxy_temp_path {work}/n2; fastcgi_temp_path {work}/n3;
  uwsgi_temp_path {work}/n4; scgi_temp_path {work}/n5; {more}
  server {{ listen 127.0.0.1:{port}; root {root}; {max} }} }}
"""
APACHE = """
ServerRoot {work}
ServerName localhost
PidFile {work}/apache.pid
ErrorLog {work}/apache.log
Listen 127.0.0.1:{port}
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
DocumentRoot {root}
<Directory {root}>
Require all granted
</Directory>
"""
LIGHTTPD = 'server.document-root = "{root}"\nserver.bind = "127.0.0.1"\nserver.port = {port}\n'
HAPROXY = """
global
  stats socket {work}/haproxy.sock
defaults
  mode http
  timeout client 30s
  timeout server 30s
  timeout connect 5s
cache files
  total-max-size 1024
  max-object-size 200000000
  max-age 600
frontend in
  bind 127.0.0.1:{port}
  default_backend out
backend out
  http-request cache-use files
  http-response cache-store files
  server nginx 127.0.0.1:{behind}
"""
PYTHON = {
    "starlette": "import uvicorn; from starlette.applications import Starlette; from starlette.staticfiles import StaticFiles\n"
    "app = Starlette(); app.mount('/', StaticFiles(directory='{root}')); uvicorn.run(app, port={port}, log_level='error')",
    "aiohttp": "from aiohttp import web\n"
    "app = web.Application(); app.router.add_static('/', '{root}'); web.run_app(app, host='127.0.0.1', port={port}, print=None)",
    "tornado": "import tornado.web, tornado.ioloop\n"
    "tornado.web.Application([('/(.*)', tornado.web.StaticFileHandler, dict(path='{root}'))]).listen({port}, '127.0.0.1')\n"
    "tornado.ioloop.IOLoop.current().start()",
    "bottle": "import bottle; from socketserver import ThreadingMixIn; from wsgiref.simple_server import WSGIServer\n"
    "class S(ThreadingMixIn, WSGIServer): daemon_threads = True\n"
    "bottle.route('/<p:path>')(lambda p: bottle.static_file(p, root='{root}'))\n"
    "bottle.run(host='127.0.0.1', port={port}, quiet=True, server_class=S)",
    "moto": "import os, sys; from moto.server import ThreadedMotoServer; import urllib.request, time\n"
    "s = ThreadedMotoServer(ip_address='127.0.0.1', port={port}, verbose=False); s.start(); u = 'http://127.0.0.1:{port}/images'\n"
    "put = lambda p, d: urllib.request.urlopen(urllib.request.Request(p, d, dict([('x-amz-acl', 'public-read'), ('Content-Type', 'image/jpeg')]), method='PUT'))\n"
    "put(u, b''); [put(u + '/' + n, open(os.path.join('{root}', n), 'rb').read()) for n in os.listdir('{root}') if os.path.getsize(os.path.join('{root}', n)) < 1e8]\n"
    "open('{work}/ready', 'w'); time.sleep(1e6)",
}
SERVERS = ["nginx", "nginx-one", "apache", "lighttpd", "caddy", *PYTHON, "varnish", "haproxy"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    def __init__(self, name, root, work, python):
        self.work, self.root, self.path = work, os.path.abspath(root), ""
        self.port, self.processes = free_port(), []
        if name.startswith("nginx"):
            self.nginx(self.port, "max_ranges 1;" if name == "nginx-one" else "")
        elif name == "apache":
            self.run("apache2", ["-X", "-f", self.file("apache.conf", APACHE)])
        elif name == "lighttpd":
            self.run("lighttpd", ["-D", "-f", self.file("lighttpd.conf", LIGHTTPD)])
        elif name == "caddy":
            self.run("caddy", ["file-server", "--root", self.root, "--listen", f"127.0.0.1:{self.port}"])
        elif name in ("varnish", "haproxy"):
            self.nginx(behind := free_port(), "")
            if name == "varnish":
                self.run("varnishd", ["-F", "-a", f"127.0.0.1:{self.port}", "-b", f"127.0.0.1:{behind}", "-n", work + "/v",
                                      "-s", "malloc,2G"])
            else:
                self.run("haproxy", ["-f", self.file("haproxy.cfg", HAPROXY, behind=behind)])
        else:
            module = "moto.server" if name == "moto" else name
            if subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode:
                raise FileNotFoundError(name)
            self.run(python, ["-c", PYTHON[name].format(root=self.root, port=self.port, work=work)])
            if name == "moto":
                self.path = "/images"
                for _ in range(300):
                    if os.path.exists(work + "/ready"):
                        break
                    time.sleep(0.1)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError(f"{name} does not answer")

    def nginx(self, port, most):
        self.run("nginx", ["-e", self.work + "/e", "-c", self.file("nginx.conf", NGINX, port=port, max=most, more="")])

    def file(self, name, text, **more):
        path = os.path.join(self.work, name)
        with open(path, "w") as file:
            file.write(text.format(**{"work": self.work, "root": self.root, "port": self.port, **more}))
        return path

    def run(self, program, arguments):
        path = shutil.which(program) or shutil.which("/usr/sbin/" + program)
        if not path:
            raise FileNotFoundError(program)
        log = open(os.path.join(self.work, "log"), "w")
        self.processes.append(subprocess.Popen([path, *arguments], stdout=log, stderr=log, cwd=self.work))

    def stop(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait()


def measure(arguments, name):
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o755)
        server = Server(name, arguments.folder, work, arguments.python)
        port = free_port()
        proxy = subprocess.Popen(
            [sys.executable, HERE + "/shaped_proxy.py", "--listen", str(port), "--to", f"127.0.0.1:{server.port}"],
            stdout=subprocess.PIPE, text=True)
        try:
            time.sleep(0.5)
            if name == "haproxy":
                for file in os.listdir(arguments.folder):
                    # Its keys have the host.
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/{file}").read()
            for task in arguments.task:
                label, _, text = task.partition("=")
                url = f"http://127.0.0.1:{port}{server.path}"
                start = time.monotonic()
                command = [word.replace("URL", url).replace("OUT", work) for word in text.split()]
                done = subprocess.run(command, capture_output=True, text=True)
                seconds = time.monotonic() - start
                time.sleep(0.2)
                proxy.send_signal(signal.SIGUSR1)
                counts = json.loads(proxy.stdout.readline())
                failure = "" if done.returncode == 0 else f"  exit {done.returncode}: {done.stderr.strip()[-100:]}"
                print(f"{name:10} {label:20} {seconds:6.2f} s {counts['bytes'] / 1e6:8.2f} MB"
                      f" {counts['requests']:4} requests{failure}", flush=True)
        finally:
            proxy.terminate()
            proxy.wait()
            server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--only", default=",".join(SERVERS))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--task", action="append", required=True, help="LABEL=COMMAND, with URL and OUT for their values")
    arguments = parser.parse_args()
    for name in arguments.only.split(","):
        try:
            measure(arguments, name)
        except FileNotFoundError as missing:
            print(f"{name}: {missing} is not installed", file=sys.stderr)


if __name__ == "__main__":
    main()
