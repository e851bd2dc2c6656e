#!/usr/bin/env python3
"""How much of a client's context the answers take: asks `obsearch serve` for each tool with nothing but what it needs.

    python3 evals/sizes.py --vault VAULT [--binary target/release/obsearch] [--mode keyword]

Reads the index of the calling user (or of XDG_DATA_HOME); run `obsearch --vault VAULT index` first. Prints the bytes
of the text and of the structured content, each as median and maximum over ten questions or twenty notes, and those of
`tools/list`. Needs nothing but Python.
"""

import argparse
import json
import statistics

from latency import QUESTIONS, Server

NOTES = 20


def sizes(answer):
    text = sum(len(part["text"].encode()) for part in answer["content"])
    structured = json.dumps(answer.get("structuredContent", {}), ensure_ascii=False, separators=(",", ":"))
    return text, len(structured.encode())


def calls(notes, mode):
    """Tool, and the arguments of each call."""
    paths = [{"path": path} for path in notes]
    yield "search_vault", [{"query": query, "mode": mode} for query in QUESTIONS]
    yield "context_pack", [{"question": query} for query in QUESTIONS]
    yield "read_note", paths
    yield "note_links", paths
    for purpose in ["related", "link", "duplicate", "tag"]:
        yield f"find_similar {purpose}", [{**path, "purpose": purpose} for path in paths]
    yield "verify_citation", [{"citations": [path["path"]]} for path in paths]
    for tool in ["list_notes", "list_tags", "vault_guide", "vault_health", "index_status"]:
        yield tool, [{}]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vault", required=True)
    parser.add_argument("--binary", default="target/release/obsearch")
    parser.add_argument("--mode", default="keyword", choices=["keyword", "hybrid", "semantic"])
    arguments = parser.parse_args()
    server = Server([arguments.binary, "--vault", arguments.vault, "serve"])
    listed = json.dumps(server.call("tools/list", {}), ensure_ascii=False, separators=(",", ":"))
    print(f"tools/list: {len(listed.encode())} bytes\n")
    some = server.call("tools/call", {"name": "list_notes", "arguments": {"limit": 1000}})["structuredContent"]["notes"]
    notes = [note["path"] for note in some[:: max(1, len(some) // NOTES)]][:NOTES]
    print("| tool | text: median, most | structured: median, most |\n| --- | --- | --- |")
    for tool, asked in calls(notes, arguments.mode):
        answers = [server.call("tools/call", {"name": tool.split()[0], "arguments": each}) for each in asked]
        texts, structured = zip(*(sizes(answer) for answer in answers if not answer.get("isError")))
        columns = [f"{statistics.median(part):,.0f}, {max(part):,}" for part in (texts, structured)]
        print(f"| {tool} | {columns[0]} | {columns[1]} |")
    server.stop()


if __name__ == "__main__":
    main()
