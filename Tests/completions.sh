#!/usr/bin/env bash
# Completes command lines in bash, zsh and fish, as a person at a terminal does: Tests/completions.sh PROGRAM
#
# Needs bash, zsh, fish and python3; shells that are not installed are skipped with a message.
set -euo pipefail
[ $# = 1 ] || { sed -n '2,/^set/ { /^#/ s/^# \{0,1\}//p }' "$0" >&2; exit 64; }
program=$(realpath "$1")
cd "$(dirname "$0")/.."
exec python3 - "$program" samples/lake.jpg <<'PYTHON'
import os, pty, re, select, shutil, signal, subprocess, sys, tempfile, time

program, photo = sys.argv[1:]
work = tempfile.mkdtemp(prefix="completions")
home, bin = f"{work}/home", f"{work}/bin"
os.makedirs(f"{home}/My Photos/Deep Folder")
os.mkdir(bin)
os.symlink(program, f"{bin}/viewport")
for name in ("sample one.jpg", "über.jpg", "it's.jpg"):
    shutil.copy(photo, f"{home}/{name}")
shutil.copy(photo, f"{home}/My Photos/a.jpg")
environment = {"HOME": home, "PATH": f"{bin}:/usr/bin:/bin", "TERM": "dumb", "LC_ALL": "C.UTF-8", "ZDOTDIR": home,
               "XDG_CONFIG_HOME": f"{home}/.config", "XDG_DATA_HOME": f"{home}/.local"}


def viewport(*arguments):
    return subprocess.run(["viewport", *arguments], cwd=home, env=environment, check=True, capture_output=True, text=True).stdout


def catalog():
    folder = f"{home}/My Photos/.viewport-library"
    return {name: (os.stat(f"{folder}/{name}").st_size, os.stat(f"{folder}/{name}").st_mtime_ns) for name in sorted(os.listdir(folder))}


viewport("library", "init", "My Photos", "--quiet")
viewport("library", "index", "My Photos", "--quiet")
albums = ["Hikes", "Summer Trip", "it's", "Zürich: old", "$(touch ~/pwned)", "a`touch ~/pwned`b"]
for album in albums:
    viewport("library", "albums", "create", "My Photos", album, "--quiet")
before = catalog()

os.makedirs(f"{home}/functions")
scripts = {"bash": f"{home}/viewport.bash", "zsh": f"{home}/functions/_viewport", "fish": f"{home}/.config/fish/completions/viewport.fish"}
os.makedirs(os.path.dirname(scripts["fish"]))
for shell, path in scripts.items():
    with open(path, "w") as file:
        file.write(viewport("--generate-completion-script", shell))
with open(f"{home}/.bashrc", "w") as file:
    file.write("PS1='> '\nbind 'set enable-bracketed-paste off'\nsource ~/viewport.bash\n")
with open(f"{home}/.zshrc", "w") as file:
    file.write("PS1='> '\nunset zle_bracketed_paste\nfpath=(~/functions $fpath)\nautoload -U compinit\ncompinit -u -D\n"
               "setopt no_auto_menu no_list_beep\n")


class Terminal:
    """A shell, whose line is read after each tab by a command that prints it."""

    def __init__(self, *command):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(home)
            os.execve(command[0], command, environment)
        self.read("$^", 3)

    def read(self, end, seconds):
        """Reads until a pattern comes, or the time is over."""
        text, limit = "", time.monotonic() + seconds
        while not re.search(end, text, re.S) and time.monotonic() < limit:
            if select.select([self.terminal], [], [], 0.1)[0]:
                text += os.read(self.terminal, 65536).decode(errors="replace")
        return text

    def complete(self, line):
        """The arguments of a line after a tab, as a program gets them."""
        os.write(self.terminal, f"{line}\t".encode())
        self.read("$^", 0.3)
        # Read after the tab, however long that takes.
        os.write(self.terminal, b"\x01show \r")
        text = self.read("<<.*>>", 60)
        self.read("> $", 0.3)
        found = re.search("<<(.*?)>>", text, re.S)
        return found[1].split("|")[1:-1] if found else [f"no line: {text!r}"]

    def close(self):
        os.close(self.terminal)
        os.kill(self.process, signal.SIGHUP)
        os.waitpid(self.process, 0)


with open(f"{bin}/show", "w") as file:
    file.write("#!/bin/sh\nprintf '<<|'\nprintf '%s|' \"$@\"\nprintf '>>\\n'\n")
os.chmod(f"{bin}/show", 0o755)

# A line, and its words after the first tab.
lines = [
    ("viewport rend", ["viewport", "render"]),
    ("viewport render sam", ["viewport", "render", "sample one.jpg"]),
    ("viewport render sample\\ o", ["viewport", "render", "sample one.jpg"]),
    ("viewport render üb", ["viewport", "render", "über.jpg"]),
    ("viewport render My\\ Photos/a", ["viewport", "render", "My Photos/a.jpg"]),
    ("viewport render ~/sam", ["viewport", "render", f"{home}/sample one.jpg"]),
    ("viewport render a.jpg -o it", ["viewport", "render", "a.jpg", "-o", "it's.jpg"]),
    ("viewport render a.jpg --kernel mi", ["viewport", "render", "a.jpg", "--kernel", "mitchell"]),
    ("viewport render a.jpg --format we", ["viewport", "render", "a.jpg", "--format", "webp"]),
    ("viewport render a.jpg --background transp", ["viewport", "render", "a.jpg", "--background", "transparent"]),
    ("viewport thumbnail make a.jpg --crop att", ["viewport", "thumbnail", "make", "a.jpg", "--crop", "attention"]),
    ("viewport pyramid a.jpg --layout zoo", ["viewport", "pyramid", "a.jpg", "--layout", "zoomify"]),
    ("viewport info sam", ["viewport", "info", "sample one.jpg"]),
    ("viewport serve My", ["viewport", "serve", "My Photos/"]),
    ("viewport library list My", ["viewport", "library", "list", "My Photos/"]),
    ("viewport library list My\\ Photos --group-by mon", ["viewport", "library", "list", "My Photos", "--group-by", "month"]),
    ("viewport library list My\\ Photos --sort des", ["viewport", "library", "list", "My Photos", "--sort", "desc"]),
    ("viewport library list My\\ Photos --album Hi", ["viewport", "library", "list", "My Photos", "--album", "Hikes"]),
    ("viewport library list 'My Photos' --album Su", ["viewport", "library", "list", "My Photos", "--album", "Summer Trip"]),
    ("viewport library list ~/My\\ Photos --album Zü", ["viewport", "library", "list", f"{home}/My Photos", "--album", "Zürich: old"]),
    ("viewport library list My\\ Photos --album it", ["viewport", "library", "list", "My Photos", "--album", "it's"]),
    ("viewport library albums rename My\\ Photos Summer\\ T", ["viewport", "library", "albums", "rename", "My Photos", "Summer Trip"]),
    ("viewport library list nowhere --album Hi", ["viewport", "library", "list", "nowhere", "--album", "Hi"]),
    ("viewport settings set backg", ["viewport", "settings", "set", "background"]),
]
commands = {"bash": ["--noprofile", "--rcfile", f"{home}/.bashrc", "-i"], "zsh": ["-d", "-i"], "fish": ["-i"]}
failures = 0
for shell in os.environ.get("SHELLS", "bash zsh fish").split():
    path = shutil.which(shell)
    if not path:
        print(f"\n******** SKIPPED: completion test: {shell} is not installed ********\n", file=sys.stderr)
        continue
    terminal = Terminal(path, *commands[shell])
    wrong = 0
    for line, words in lines:
        found = terminal.complete(line)
        # Lists of folders differ in the slash at the end.
        isRight = [word.rstrip("/") for word in found] == [word.rstrip("/") for word in words]
        if not isRight:
            wrong += 1
            print(f"completion test: {shell}: {line}: {found}, not {words}", file=sys.stderr)
    terminal.close()
    failures += wrong
    if not wrong:
        print(f"completion test: {shell} completes {len(lines)} lines")

# Everything that is offered is a name: bash expands the words of its lists.
if os.path.exists(f"{home}/pwned"):
    sys.exit("completion test: the name of an album was run as a command")
if catalog() != before:
    sys.exit(f"completion test: the catalog changed: {before} {catalog()}")
start = time.monotonic()
viewport("---completion", "library", "list", "--", "--album", "4", "0", "viewport", "library", "list", "My Photos", "--album", "")
print(f"completion test: names of albums take {(time.monotonic() - start) * 1000:.0f} ms")
# Fish makes completions from man pages in the background.
shutil.rmtree(work, ignore_errors=True)
sys.exit(failures > 0)
PYTHON
