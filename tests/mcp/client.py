"""Drives `obsearch serve` over stdio, HTTP and SSE, with the official Python SDK (1.x or 2.x, whichever is installed) and raw.

    python3 tests/mcp/client.py --binary target/debug/obsearch --vault examples/vault

The vault must be the example vault. The last line says how many checks passed and failed.
"""

import argparse
import asyncio
import json
import signal
import sys
from pathlib import Path

from jsonschema import Draft202012Validator

from home import Home
from raw import META, Server, code_after_broken_pipe, outlives_its_parent
from report import Report
from sdk import MODES, SDK, Refused, Session, connect, connect_http, connect_sse

TOOLS = [
    "search_vault",
    "context_pack",
    "read_note",
    "list_notes",
    "list_tags",
    "vault_guide",
    "note_links",
    "find_similar",
    "vault_health",
    "verify_citation",
    "index_status",
    "reindex_vault",
]

CALLS = [
    ("search_vault", {"query": "how long does the varnish need"}),
    ("search_vault", {"query": "tide", "mode": "keyword", "limit": 2, "max_per_note": 1, "verbose": True}),
    ("search_vault", {"query": "tide", "limit": 1, "hypothetical": "A new clock.", "expand_links": True}),
    ("search_vault", {"query": "tide", "top_k": 1, "folder": "Projects"}),
    ("search_vault", {"query": "tide", "limit": 2.0, "mode": None, "folders": ["Reference"], "tags": []}),
    ("context_pack", {"question": "how long does the varnish need"}),
    ("context_pack", {"question": "tide", "folders": ["Projects"], "max_bytes": 600}),
    ("read_note", {"path": "Projects/Tide Logger.md"}),
    ("read_note", {"path": "Tide Logger", "outline": True}),
    ("read_note", {"path": "[[Tide Logger]]", "offset": 1, "limit": 5}),
    ("read_note", {"path": "Tide Logger", "section": "Hardware"}),
    ("read_note", {"paths": ["Tide Logger", "Nothing Here", "Home"], "max_bytes": 700}),
    ("read_note", {"paths": ["Tide Logger"], "outline": True}),
    ("list_notes", {}),
    ("list_notes", {"folder": "Projects", "limit": 3}),
    ("list_notes", {"folders_only": True}),
    ("list_tags", {}),
    ("list_tags", {"prefix": "project"}),
    ("note_links", {"path": "Projects/Tide Logger.md"}),
    ("note_links", {"path": "Tide Logger", "direction": "outgoing"}),
    ("note_links", {"path": "Tide Logger", "depth": 2, "to": "Projects/Tide Logger.md"}),
    ("note_links", {"path": "Tide Logger", "direction": "backlinks"}),
    ("find_similar", {"path": "Tide Logger"}),
    ("find_similar", {"path": "Tide Logger", "purpose": "link"}),
    ("find_similar", {"text": "a clock for the tide", "purpose": "tag", "limit": 3}),
    ("find_similar", {"path": "Tide Logger", "purpose": "duplicate", "max_bytes": 512}),
    ("vault_health", {}),
    ("vault_health", {"checks": ["links", "orphans"], "limit": 2}),
    ("vault_guide", {}),
    ("vault_guide", {"max_bytes": 256}),
    ("verify_citation", {"citations": ["Projects/Tide Logger.md\nA sentence that is not there."]}),
    ("index_status", {}),
    ("reindex_vault", {}),
]

# Arguments that are refused, with a word that the message must hold.
BAD_CALLS = [
    ("search_vault", {}, "query"),
    ("search_vault", {"query": ""}, "query"),
    ("search_vault", {"query": ["tide"]}, "query"),
    ("search_vault", {"query": "tide", "limit": 0}, "limit"),
    ("search_vault", {"query": "tide", "limit": 51}, "limit"),
    ("search_vault", {"query": "tide", "limit": "8"}, "limit"),
    ("search_vault", {"query": "tide", "limit": 2.5}, "limit"),
    ("search_vault", {"query": "tide", "limit": 2, "top_k": 3}, "top_k"),
    ("search_vault", {"query": "tide", "mode": "fuzzy"}, "mode"),
    ("search_vault", {"query": "tide", "folders": "Projects"}, "folders"),
    ("search_vault", {"query": "tide", "surprise": 1}, "surprise"),
    ("context_pack", {"query": "tide"}, "query"),
    ("context_pack", {"question": "tide", "max_bytes": 10}, "max_bytes"),
    ("read_note", {}, "path"),
    ("read_note", {"path": "Tide Logger", "section": "A", "block": "b"}, "section"),
    ("read_note", {"path": "Tide Logger", "paths": ["Home"]}, "paths"),
    ("read_note", {"paths": []}, "paths"),
    ("read_note", {"paths": ["Home"], "limit": 1}, "limit"),
    ("read_note", {"path": "Tide Logger", "offset": -1}, "offset"),
    ("list_notes", {"limit": 1001}, "limit"),
    ("list_notes", {"folders_only": "yes"}, "folders_only"),
    ("list_tags", {"prefix": 1}, "prefix"),
    ("note_links", {"path": "Tide Logger", "direction": "up"}, "direction"),
    ("find_similar", {}, "path"),
    ("find_similar", {"path": "Tide Logger", "text": "x"}, "text"),
    ("vault_health", {"limit": 0}, "limit"),
    ("vault_guide", {"max_bytes": 1}, "max_bytes"),
    ("verify_citation", {"citations": []}, "citations"),
    ("index_status", {"verbose": True}, "verbose"),
    ("reindex_vault", {"mode": "all"}, "mode"),
    ("no_such_tool", {}, "unknown tool"),
]

# Names that lead to private notes of the example vault, beside ones that lead nowhere.
PRIVATE_NAMES = [
    "Journal/2025-03-02.md",
    "2025-03-02",
    "[[2025-03-02]]",
    "People/Confidential/Jost Loan.md",
    "Jost Loan",
    "Meetings/2025-04-30 Lease Negotiation.md",
    "2025-04-30 Lease Negotiation",
    "Areas/Migraine Notes.md",
    "headache diary",
    "Areas/Will and Papers.md",
    "[[Will and Papers#Where things are]]",
    "Projects/Fiftieth Surprise.md",
    "Operation Snorkelwhip",
]
MISSING_NAMES = ["Journal/2031-01-01.md", "Nothing Here", "[[Nothing Here]]", "../outside.md", "/etc/passwd", "No#Way"]

# Words that stand in private notes only.
PRIVATE_WORDS = [
    "quelmbrick",
    "ossifrane",
    "vellichome",
    "tarnabolt",
    "grelphine",
    "mavoskern",
    "Harkwindle",
    "Zolvetrine",
    "PLOMBASKET-77",
    "Snorkelwhip",
]


async def check_session(session: Session, mode: str, report: Report) -> None:
    info = session.hello.get("serverInfo")
    if mode != "2026-07-28":
        report.equal(info and info["name"], "obsearch", f"{mode}: the server's name")
        report.check("never instructions" in session.hello["instructions"], f"{mode}: instructions")
    tools = {tool["name"]: tool for tool in await session.tools()}
    report.equal(list(tools), TOOLS, f"{mode}: the tools in their order")
    for tool in tools.values():
        check_tool(tool, report)
    for name, arguments in CALLS:
        await check_call(session, tools[name], arguments, report)
    for name, arguments, word in BAD_CALLS:
        await check_refusal(session, name, arguments, word, report)
    await check_limits(session, report)


def check_tool(tool: dict, report: Report) -> None:
    name = tool["name"]
    for schema in (tool["inputSchema"], tool["outputSchema"]):
        Draft202012Validator.check_schema(schema)
    report.equal(tool["inputSchema"]["additionalProperties"], False, f"{name}: closed")
    for argument, schema in tool["inputSchema"]["properties"].items():
        plain = schema["type"] in ("string", "integer", "boolean") or schema.get("items") == {"type": "string"}
        report.check(plain and schema["description"], f"{name}: {argument} is plain and described", schema)
    hints = tool["annotations"]
    report.equal(hints["readOnlyHint"], name != "reindex_vault", f"{name}: readOnlyHint")
    report.equal(hints["openWorldHint"], False, f"{name}: openWorldHint")


async def check_call(session: Session, tool: dict, arguments: dict, report: Report) -> None:
    what = f"{tool['name']} {arguments}"
    try:
        result = await session.call(tool["name"], arguments)
    except Exception as error:
        report.check(False, what, repr(error))
        return
    structured = result.get("structuredContent")
    answered = structured is not None and not result.get("isError")
    report.check(answered, f"{what} is answered", result["content"])
    if answered:
        problems = [error.message for error in Draft202012Validator(tool["outputSchema"]).iter_errors(structured)]
        report.equal(problems, [], f"{what} fits its schema")
        report.check(result["content"][0]["text"].strip(), f"{what} has a text")


async def check_refusal(session: Session, tool: str, arguments: dict, word: str, report: Report) -> None:
    try:
        result = await session.call(tool, arguments)
        told = result.get("isError") and word in result["content"][0]["text"]
    except Refused as refused:
        # Only what is no call of a tool at all is an error of the protocol.
        result, told = refused, refused.code == -32602 and word == "unknown tool" and word in refused.message
    report.check(told, f"{tool} {arguments} is refused with a reason", result)


async def check_limits(session: Session, report: Report) -> None:
    result = await session.call("search_vault", {"query": "tide boat notes", "limit": 3})
    passages = result["structuredContent"]["passages"]
    report.check(0 < len(passages) <= 3, "limit holds", len(passages))
    report.equal([passage["rank"] for passage in passages], list(range(1, len(passages) + 1)), "ranks")
    text = result["content"][0]["text"]
    report.check(all(passage["citation"] in text for passage in passages), "citations are in the text", text)
    default = await session.call("search_vault", {"query": "tide boat notes"})
    size = len(default["content"][0]["text"].encode())
    report.check(size < 3000, "the text of a default search is short", size)
    first = await session.call("list_notes", {"limit": 2})
    cursor = first["structuredContent"].get("next_cursor")
    if cursor:
        second = await session.call("list_notes", {"limit": 2, "cursor": cursor})
        pages = [[note["path"] for note in page["structuredContent"]["notes"]] for page in (first, second)]
        report.check(not set(pages[0]) & set(pages[1]), "pages do not overlap", pages)


def check_privacy(server: Server, report: Report) -> None:
    for tool in ("read_note", "note_links"):
        missing = server.call(tool, {"path": "Nothing Here"})
        report.equal(missing["result"]["content"][0]["text"], "note not found", f"{tool}: a missing note")
        report.check("structuredContent" not in missing["result"], f"{tool}: nothing besides", missing)
        for name in PRIVATE_NAMES + MISSING_NAMES:
            report.equal(server.call(tool, {"path": name}), missing, f"{tool} {name} looks missing")
    for word in PRIVATE_WORDS:
        answers = [server.call("search_vault", {"query": word, "mode": mode}) for mode in ("keyword", "hybrid")]
        report.check(word.lower() not in json.dumps(answers).lower(), f"a search for {word} does not show it")


def check_lines(server: Server, report: Report) -> None:
    """Nothing but JSON-RPC on standard output, nothing of notes and queries on standard error."""
    for line in server.lines:
        try:
            report.equal(json.loads(line)["jsonrpc"], "2.0", "a line of output")
        except ValueError:
            report.check(False, "a line of output is JSON", line)
    for word in [*PRIVATE_WORDS, "varnish", "Tide Logger"]:
        report.check(word.encode() not in server.errors, f"standard error does not hold {word}", server.errors)


def check_wire(start, report: Report) -> None:
    server = start()
    server.write("this is not JSON")
    server.notify("notifications/cancelled", {"requestId": 1})
    server.initialize()
    check_privacy(server, report)
    for name, arguments in CALLS:
        report.check(server.call(name, arguments), f"raw {name} is answered")
    error = server.request("notes/secret", {})
    report.equal(error["error"]["code"], -32601, "an unknown method")
    error = server.request("tools/call", {"name": "read_note", "arguments": "x"})
    report.equal(error["error"]["code"], -32602, "arguments that are no object")
    server.close_input()
    report.equal(server.ended()[0], 0, "exit after the end of input")
    check_lines(server, report)
    check_stateless(start(), report)


def check_stateless(server: Server, report: Report) -> None:
    call = {"name": "list_tags", "arguments": {}}
    for method, params in [("server/discover", {}), ("tools/list", {}), ("tools/call", call)]:
        result = server.request(method, params | {"_meta": META}).get("result", {})
        info = result.get("_meta", {}).get("io.modelcontextprotocol/serverInfo", {})
        report.equal(info.get("name"), "obsearch", f"{method} names the server")
    server.close_input()
    report.equal(server.ended()[0], 0, "exit of a stateless connection")


def check_ends(start, report: Report) -> None:
    def ends(what: str, server: Server) -> None:
        code, seconds = server.ended()
        report.equal(code, 0, f"exit code, {what}")
        report.check(seconds < 2, f"ends at once, {what}", seconds)

    def connected() -> Server:
        server = start()
        server.initialize()
        return server

    server = start()
    server.close_input()
    ends("end of input before anything", server)
    server = connected()
    server.send("tools/call", {"name": "search_vault", "arguments": {"query": "tide"}})
    server.close_input()
    ends("end of input with a call in flight", server)
    for name in (signal.SIGTERM, signal.SIGINT):
        server = connected()
        server.process.send_signal(name)
        ends(f"{name.name}", server)


def check_handshake_time(start, report: Report) -> None:
    server = start()
    answer = server.answer(server.send("ping", {}), 2)
    report.check(answer is not None, "the server speaks within two seconds of its start")
    server.close_input()
    server.ended()


async def check_sdk(home: Home, report: Report) -> None:
    """Over pipes, over HTTP of both kinds, and over pipes through a bridge to the server that speaks HTTP."""
    for mode in MODES:
        async with connect(str(home.binary), ["serve"], home.env, mode) as session:
            await check_session(session, mode, report)
        with home.listening() as url:
            async with connect_http(url, mode) as session:
                await check_session(session, mode, report)
            async with connect(str(home.binary), ["connect", "--url", url], home.env, mode) as session:
                await check_session(session, mode, report)
        with home.listening("sse") as url:
            async with connect_sse(url, mode) as session:
                await check_session(session, mode, report)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--vault", type=Path, required=True)
    parser.add_argument("--embeddings", help="the embedding backend, instead of the default one")
    return parser.parse_args()


def main() -> int:
    arguments = parsed()
    report = Report()
    with Home(arguments.binary, arguments.vault, arguments.embeddings) as home:
        home.index()

        def start() -> Server:
            return Server([str(home.binary), "serve"], home.env)

        print(f"mcp {SDK}.x")
        check_handshake_time(start, report)
        asyncio.run(check_sdk(home, report))
        check_wire(start, report)
        check_ends(start, report)
        command = [str(home.binary), "serve"]
        report.equal(code_after_broken_pipe(command, home.env), 0, "exit code, broken pipe")
        report.check(not outlives_its_parent(command, home.env), "ends with its parent")
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
