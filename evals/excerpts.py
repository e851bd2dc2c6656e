#!/usr/bin/env python3
"""How often the short excerpts of an answer hold what was asked for, as a Markdown table.

    python3 evals/excerpts.py --sets SETS [--binary target/release/obsearch] [--only NAME]… [--take 300]

Takes the questions of the sets in SETS whose `answer` stands in the note word by word (see `sets.py`). Each vault is indexed by
words in a temporary home; each question is asked of `search_vault` with nothing else. Counted are questions of which a
passage of an expected note is shown: in how many of them the answer stands in the excerpt of that note. Whole passages
(`verbose`) beside it are the most that an excerpt could do.

Needs nothing but Python.
"""

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

from latency import Server
from sets import find_sets

CONFIGURATION = '[vault]\npath = "{vault}"\n[embeddings]\nbackend = "none"\n'


def plain(text):
    return "".join(text.split()).casefold()


def asked(server, question, verbose):
    """Is an expected note among the passages, and is the answer in what is shown of it?"""
    arguments = {"query": question["query"], "mode": "keyword", "verbose": verbose}
    answer = server.call("tools/call", {"name": "search_vault", "arguments": arguments})
    passages = answer["structuredContent"]["passages"]
    shown = [passage["text"] for passage in passages if passage["path"] in question["expectedSources"]]
    return bool(shown), any(plain(question["answer"]) in plain(text) for text in shown)


def is_quoted(each, question):
    """Does the answer stand in an expected note, word by word?"""
    notes = [(each.vault / path).read_text("utf-8", "replace") for path in question["expectedSources"]]
    return bool(question.get("answer")) and any(plain(question["answer"]) in plain(note) for note in notes)


def row(each, binary, take):
    with tempfile.TemporaryDirectory() as home:
        config = Path(home, ".config/obsearch/config.toml")
        config.parent.mkdir(parents=True)
        config.write_text(CONFIGURATION.format(vault=each.vault.resolve()))
        os.environ["HOME"] = home
        subprocess.run([binary, "index", "--quiet"], check=True)
        server = Server([binary, "serve"])
        questions = [question for question in each.questions(take) if is_quoted(each, question)]
        found = [question for question in questions if asked(server, question, False)[0]]
        excerpts = sum(asked(server, question, False)[1] for question in found)
        passages = sum(asked(server, question, True)[1] for question in found)
        server.stop()
    count = len(found)
    return f"| {each.name} | {count} of {len(questions)} | {excerpts / count:.3f} | {passages / count:.3f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", required=True, type=Path)
    parser.add_argument("--binary", default="target/release/obsearch")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--take", type=int, default=300)
    arguments = parser.parse_args()
    for variable in [name for name in os.environ if name.startswith(("XDG_", "OBSEARCH_"))]:
        del os.environ[variable]
    print("| set | questions | answer in the excerpt | in the passage |\n| --- | --- | --- | --- |")
    for each in find_sets(arguments.sets):
        has_answers = any(is_quoted(each, question) for question in each.questions(arguments.take))
        if has_answers and (not arguments.only or each.name in arguments.only):
            print(row(each, os.path.abspath(arguments.binary), arguments.take), flush=True)


if __name__ == "__main__":
    main()
