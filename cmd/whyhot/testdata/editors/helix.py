"""Reads a languages.toml as Helix documents it, starts the server that it names for a
language, and writes what that says of a file. Helix itself is not run: no package has it."""
import json, os, pathlib, subprocess, sys, tomllib

# What Helix 25.07 documents (book/src/languages.md). It refuses a language with other keys.
SERVER = {"command", "args", "config", "timeout", "environment", "required-root-patterns"}
LANGUAGE = set("""name language-id scope injection-regex file-types shebangs roots auto-format
diagnostic-severity comment-tokens block-comment-tokens indent language-servers grammar formatter soft-wrap
text-width rulers path-completion word-completion workspace-lsp-roots persistent-diagnostic-sources
rainbow-brackets code-actions-on-save""".split())
BUILT_IN = {"clangd"}  # servers that Helix defines

configuration, file = tomllib.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]).resolve()
servers = configuration.pop("language-server", {})
languages = configuration.pop("language", [])
assert not configuration, f"unknown tables: {list(configuration)}"
for name, server in servers.items():
    assert set(server) <= SERVER, f"{name}: unknown keys {set(server) - SERVER}"
    assert isinstance(server["command"], str) and all(isinstance(a, str) for a in server.get("args", [])), name
for language in languages:
    assert set(language) <= LANGUAGE, f"{language['name']}: unknown keys {set(language) - LANGUAGE}"
    unknown = set(language["language-servers"]) - set(servers) - BUILT_IN
    assert not unknown, f"{language['name']}: {unknown} is not defined"
chosen = [s for l in languages if l["name"] == sys.argv[3] for s in l["language-servers"] if s in servers]
assert len(chosen) == 1, f"servers of {sys.argv[3]}: {chosen}"
server = servers[chosen[0]]

process = subprocess.Popen([server["command"], *server.get("args", [])], cwd=file.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
requests = 0


def send(message):
    data = json.dumps({"jsonrpc": "2.0", **message}).encode()
    process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
    process.stdin.flush()


def read():
    size = 0
    while (line := process.stdout.readline()) != b"\r\n":
        assert line, "the server ended"
        if line.lower().startswith(b"content-length:"):
            size = int(line.split(b":")[1])
    return json.loads(process.stdout.read(size))


def ask(method, params):
    global requests
    requests += 1
    send({"id": requests, "method": method, "params": params})
    while True:
        message = read()
        if message.get("id") == requests and "method" not in message:
            assert "error" not in message, message
            return message["result"]
        heard(message)


diagnostics, edits = [], []


def heard(message):
    global diagnostics
    if message.get("method") == "textDocument/publishDiagnostics":
        diagnostics = message["params"]["diagnostics"]
    elif message.get("method") == "workspace/applyEdit":
        edits.append(message["params"]["edit"])
        send({"id": message["id"], "result": {"applied": True}})
    elif "id" in message:
        send({"id": message["id"], "result": None})


uri, text = file.as_uri(), file.read_text()
ask("initialize", {
    "processId": os.getpid(), "rootPath": str(file.parent), "rootUri": file.parent.as_uri(),
    "workspaceFolders": [{"uri": file.parent.as_uri(), "name": file.parent.name}],
    "initializationOptions": server.get("config"),
    "capabilities": {
        "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}, "executeCommand": {}},
        "textDocument": {
            "hover": {"contentFormat": ["markdown"]},
            "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "quickfix", "refactor", "source"]}}, "dataSupport": True},
            "publishDiagnostics": {"versionSupport": True},
        },
        "general": {"positionEncodings": ["utf-8", "utf-32", "utf-16"]},
    },
    "clientInfo": {"name": "helix", "version": "25.07"},
})
send({"method": "initialized", "params": {}})
send({"method": "textDocument/didOpen", "params": {"textDocument": {"uri": uri, "languageId": sys.argv[3], "version": 0, "text": text}}})
while not all(any(want in d["message"] for d in diagnostics) for want in ["of the CPU", "Byte-wide stores"]):
    heard(read())
seen = {"Diagnostics": [{"Line": d["range"]["start"]["line"], "Text": d["message"]} for d in diagnostics]}
at = {"line": 6, "character": 2}
contents = ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": at})["contents"]
seen["Hover"] = contents["value"]
actions = ask("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": {"start": at, "end": at}, "context": {"diagnostics": diagnostics, "triggerKind": 1}})
seen["Actions"] = [a["title"] for a in actions]
fix = next(a for a in actions if "write the fix" in a["title"])
if "edit" in fix:
    edits.append(fix["edit"])
if command := fix.get("command"):
    ask("workspace/executeCommand", command if isinstance(command, dict) else {"command": command, "arguments": fix.get("arguments")})
while not edits:
    heard(read())
for edit in edits:
    changes = edit.get("changes", {}).get(uri, []) + [e for d in edit.get("documentChanges", []) for e in d["edits"]]
    lines = text.split("\n")
    offset = lambda p: sum(len(x) + 1 for x in lines[: p["line"]]) + p["character"]
    for e in sorted(changes, key=lambda e: -offset(e["range"]["start"])):
        text = text[: offset(e["range"]["start"])] + e["newText"] + text[offset(e["range"]["end"]) :]
seen["Text"] = text
pathlib.Path(os.environ["WHYHOT_TEST_SEEN"]).write_text(json.dumps(seen))
ask("shutdown", None)
send({"method": "exit"})
process.stdin.close()
process.wait()
