#!/usr/bin/env python3
"""How long `whyhot lsp` takes from a save of a file to the findings of its unit as it was
saved. Four files of 1,000 to 2,000 lines of Debian's sources: of bzip2 and Lua (C) and of
JsonCpp (C++). Needs `make build analyzer`. With another build of both programs, saves of
the two are interleaved.
  bench/editors/saves.py WORK_DIR [ROUNDS [OTHER_BIN_DIR]]"""
import json, os, pathlib, subprocess, sys, time

root = pathlib.Path(__file__).resolve().parents[2]
work = pathlib.Path(sys.argv[1]).resolve()
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 10
builds = {"this build": root / "bin"}
if len(sys.argv) > 3:
    builds["the other"] = pathlib.Path(sys.argv[3]).resolve()
# One more function at each save; its loop is a finding.
ADDED = "void whyhot_edit_%d(unsigned char *p, int *n) { for (int i = 0; i < *n; i++) p[i] = (unsigned char)i; }\n"
PROGRAMS = [
    ("bzip2", "blocksort.c", ["clang-19", "-O2", "-g"]),
    ("lua5.4", "src/ltable.c", ["clang-19", "-O2", "-g", "-DLUA_USE_POSIX"]),
    ("libjsoncpp", "src/lib_json/json_writer.cpp", ["clang++-19", "-O2", "-g", "-Iinclude"]),
    ("libjsoncpp", "src/lib_json/json_reader.cpp", ["clang++-19", "-O2", "-g", "-Iinclude"]),
]


class Server:
    def __init__(self, build, directory, words):
        self.p = subprocess.Popen([build / "whyhot", "lsp", *words], cwd=directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.n = 0
        self.walls, self.cpus = [], []

    # CPU time in ms: of the server, of what it has waited for, and of what it still runs.
    def cpu(self):
        def times(pid, *fields):
            f = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            return sum(int(f[i - 3]) for i in fields)

        ticks = times(self.p.pid, 14, 15, 16, 17)
        for children in pathlib.Path(f"/proc/{self.p.pid}/task").glob("*/children"):
            for child in children.read_text().split():
                try:
                    ticks += times(child, 14, 15)
                except FileNotFoundError:
                    pass  # it ended, and is among those waited for
        return 1000 * ticks / os.sysconf("SC_CLK_TCK")

    def send(self, method, params, request=False):
        m = {"jsonrpc": "2.0", "method": method, "params": params}
        if request:
            self.n += 1
            m["id"] = self.n
        data = json.dumps(m).encode()
        self.p.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.p.stdin.flush()

    def read(self):
        size = 0
        while (line := self.p.stdout.readline()) != b"\r\n":
            if not line:
                sys.exit("the server ended")
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
        return json.loads(self.p.stdout.read(size))

    def until(self, good):
        while True:
            m = self.read()
            if m.get("method") == "textDocument/publishDiagnostics" and good(m["params"]["diagnostics"]):
                return m["params"]["diagnostics"]

    def start(self, directory, file, text):
        self.send("initialize", {"rootUri": directory.as_uri(), "capabilities": {}}, True)
        while self.read().get("id") != self.n:
            pass
        self.send("initialized", {})
        self.send("textDocument/didOpen", {"textDocument": {"uri": file.as_uri(), "languageId": "c", "version": 1, "text": text}})

    def end(self):
        self.send("shutdown", None, True)
        self.send("exit", None)
        self.p.stdin.close()
        self.p.stdout.read()
        self.p.wait()


def middle(xs):
    xs = sorted(xs)
    return xs[len(xs) // 2]


def said(name, xs):
    print(f"{name}: {middle(xs):.0f} ms ({min(xs):.0f}–{max(xs):.0f}, {len(xs)} times)", flush=True)


def finds(number):
    return lambda ds: any(d["message"].startswith("Byte-wide stores") and d["range"]["start"]["line"] == number for d in ds)


for package, name, flags in PROGRAMS:
    source = pathlib.Path(subprocess.run([str(root / "scripts/deb-source"), "--upstream", package, str(work)], check=True, stdout=subprocess.PIPE, text=True).stdout.strip())
    file = source / name
    original = file.with_name(file.name + ".orig")
    if not original.exists():
        original.write_text(file.read_text())
    text = original.read_text()
    file.write_text(text)
    (source / "compile_commands.json").write_text(json.dumps([{"directory": str(source), "file": name, "arguments": [*flags, "-c", name, "-o", "edited.o"]}]))
    print(f"{package} {name}, {text.count(chr(10))} lines", flush=True)

    servers = {name: Server(build, source, ["-p", str(source)]) for name, build in builds.items()}
    for s in servers.values():
        s.start(source, file, text)
    lines = text.count("\n")
    for i in range(rounds + 1):
        text += ADDED % i
        line = lines + i
        file.write_text(text)
        for s in servers.values():
            s.send("textDocument/didChange", {"textDocument": {"uri": file.as_uri(), "version": 2 + i}, "contentChanges": [{"text": text}]})
            cpu, before = s.cpu(), time.perf_counter()
            s.send("textDocument/didSave", {"textDocument": {"uri": file.as_uri()}})
            s.until(finds(line))
            if i > 0:  # before the first one, files are not in the kernel's memory
                s.walls.append(1000 * (time.perf_counter() - before))
                time.sleep(0.2)  # what goes on after the answer counts, too
                s.cpus.append(s.cpu() - cpu)
    for name, s in servers.items():
        s.end()
        said(f"  from a save to its findings, {name}", s.walls)
        said("    CPU time", s.cpus)
    file.write_text(original.read_text())
