#!/usr/bin/env python3
"""Every evaluation set, mode by mode, as a Markdown table.

    python3 evals/sets.py --sets SETS [--binary target/release/obsearch] [--only NAME]… [--cross PREFIX]
                          [--ripgrep rg] [--keep FOLDER]

A folder in SETS is a set if it holds `vault` and `evals.jsonl`; the example vault of this project is always
there, as `examples/vault`. Each vault is indexed in a temporary home, so that no configuration of the caller's
counts, and `obsearch eval` asks the first 300 questions (`--take`) in each mode. Numbers stand with their 95 %
intervals, from 2,000 bootstrap samples.

`--cross xquad` asks the questions of each set named `xquad-…` of the notes of each other such set; their notes
must have the same paths. `--ripgrep rg` adds what somebody with a terminal would do by hand: look for any word
of the question of three or more letters, read first the note that holds most of the words, and of those the one
with most matching lines. `--keep` leaves the home, and in `runs/` the JSON of each run, where a next one finds
them.

Needs nothing but Python.
"""

import argparse
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
MEASURES = ["hit@1", "MRR@10", "nDCG@10"]
BOOTSTRAP_SAMPLES = 2000
# No measure looks deeper.
DEPTH = 10
# Shorter words of a question say nothing.
FEWEST_LETTERS = 3
HEADER = """\
| set | notes | questions | model chosen | mode | hit@1 | MRR | nDCG@10 |
| --- | --- | --- | --- | --- | --- | --- | --- |"""


@dataclass
class Set:
    """Notes, and questions about them."""

    name: str
    vault: Path
    evals: Path

    def questions(self, take: int) -> list[dict]:
        """Of the first `take`, those that have an answer."""
        lines = [line for line in self.evals.read_text("utf-8").splitlines() if line.strip()]
        return [question for question in map(json.loads, lines[:take]) if question["expectedSources"]]


def find_sets(folder: Path) -> list[Set]:
    examples = Set("examples/vault", PROJECT / "examples/vault", PROJECT / "examples/questions.jsonl")
    places = [place for place in sorted(folder.iterdir()) if (place / "evals.jsonl").is_file()]
    return [examples, *(Set(place.name, place / "vault", place / "evals.jsonl") for place in places)]


def cross(sets: list[Set], prefix: str) -> list[Set]:
    """The questions of each of the sets over the notes of each other one."""
    family = [each for each in sets if each.name.startswith(f"{prefix}-")]
    language = {each.name: each.name.removeprefix(f"{prefix}-") for each in family}
    return [
        Set(f"{prefix} {language[asking.name]} -> {language[asked.name]}", asked.vault, asking.evals)
        for asking in family
        for asked in family
        if asking is not asked
    ]


class Runner:
    """Runs a binary in a home of its own."""

    def __init__(self, binary: Path, home: Path, take: int):
        self.binary, self.home, self.take = binary.resolve(), home, take
        folders = {"XDG_CONFIG_HOME": ".config", "XDG_DATA_HOME": ".local/share", "XDG_CACHE_HOME": ".cache"}
        self.environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
        self.environment |= {name: str(home / folder) for name, folder in folders.items()}

    def obsearch(self, vault: Path, *arguments: str) -> str:
        command = [str(self.binary), "--vault", str(vault.resolve()), *arguments]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, cwd=self.home)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
        return done.stdout

    def run(self, each: Set) -> dict:
        self.obsearch(each.vault, "--profile", "public", "index")
        evals = str(each.evals.resolve())
        printed = self.obsearch(each.vault, "eval", "--evals", evals, "--take", str(self.take), "--json", "--quiet")
        runs = self.home / "runs"
        runs.mkdir(exist_ok=True)
        (runs / f"{re.sub('[^a-z]+', '-', each.name)}.json").write_text(printed, "utf-8")
        return json.loads(printed)


def words_of(text: str) -> set[str]:
    """Runs of letters and their marks, without which no word of Hindi is whole."""
    letters = (char if unicodedata.category(char)[0] in "LM" else " " for char in text.casefold())
    return {word for word in "".join(letters).split() if len(word) >= FEWEST_LETTERS}


def matching_lines(ripgrep: str, vault: Path, question: str) -> str:
    """Each line that holds a word of the question, after its path and a zero. Whole words: parts of words did worse
    on the four sets tried."""
    words = words_of(question)
    flags = ["--ignore-case", "--word-regexp", "--glob", "*.md"]
    form = ["--no-heading", "--with-filename", "--null", "--no-line-number"]
    if not words:
        return ""
    command = [ripgrep, *flags, *form, "--regexp", "|".join(sorted(words)), "."]
    done = subprocess.run(command, capture_output=True, cwd=vault)
    return done.stdout.decode("utf-8", "replace")


def rank_lines(matches: str, question: str) -> list[str]:
    """Notes by how many of the words they hold, then by matching lines, then by path."""
    words = words_of(question)
    held, lines = defaultdict(set), defaultdict(int)
    for match in matches.splitlines():
        path, separator, line = match.partition("\0")
        if separator:
            held[path] |= words & words_of(line)
            lines[path] += 1
    ranked = sorted(held, key=lambda path: (-len(held[path]), -lines[path], path))
    return [path.removeprefix("./") for path in ranked]


def rank_by_hand(ripgrep: str, vault: Path, question: str) -> list[str]:
    return rank_lines(matching_lines(ripgrep, vault, question), question)


def score(question: dict, ranked: list[str]) -> list[float]:
    """The measures, as `obsearch eval` defines them."""
    grades, right = question.get("grades", {}), question["expectedSources"]
    gains = [grades.get(path, 1.0) if path in right else 0.0 for path in ranked[:DEPTH]]
    ideal = sorted((grades.get(path, 1.0) for path in right), reverse=True)[:DEPTH]
    discounted = [sum(gain / math.log2(rank + 2) for rank, gain in enumerate(order)) for order in (gains, ideal)]
    first = next((rank for rank, gain in enumerate(gains) if gain > 0), None)
    return [float(first == 0), 0.0 if first is None else 1 / (first + 1), discounted[0] / discounted[1]]


def with_interval(values: list[float]) -> tuple[float, float, float]:
    chance = random.Random(1)
    means = sorted(statistics.fmean(chance.choices(values, k=len(values))) for _ in range(BOOTSTRAP_SAMPLES))
    ends = means[int(0.025 * BOOTSTRAP_SAMPLES)], means[int(0.975 * BOOTSTRAP_SAMPLES)]
    return statistics.fmean(values), *ends


def measure_by_hand(ripgrep: str, each: Set, take: int) -> list[tuple[float, float, float]] | None:
    """None where words are not separated by blanks, so that a question is one word."""
    questions = each.questions(take)
    if sum(" " in question["query"].strip() for question in questions) < len(questions) / 2:
        return None
    scores = [score(question, rank_by_hand(ripgrep, each.vault, question["query"])) for question in questions]
    return [with_interval(list(measure)) for measure in zip(*scores)]


def short(number: float) -> str:
    return f"{number:.3f}".removeprefix("0")


def print_row(head: list[str], mode: str, measures: list[tuple[float, float, float]]) -> None:
    cells = [f"{short(mean)} ({short(low)}–{short(high)})" for mean, low, high in measures]
    print(f"| {' | '.join([*head, mode, *cells])} |", flush=True)


def print_rows(run: dict, each: Set, by_hand: list[tuple[float, float, float]] | None) -> None:
    asked = run["asked"]
    numbers = [f"{asked['notes']:,}", str(asked["answerable"]), asked["model"] or "none"]
    head = [each.name, *numbers]
    if by_hand:
        print_row(head, "ripgrep", by_hand)
        head = [""] * len(head)
    for mode in run["modes"]:
        found = {metric["name"]: (metric["mean"], metric["low"], metric["high"]) for metric in mode["metrics"]}
        print_row(head, mode["mode"], [found[measure] for measure in MEASURES])
        head = [""] * len(head)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=Path, required=True)
    parser.add_argument("--binary", type=Path, default=PROJECT / "target/release/obsearch")
    parser.add_argument("--only", action="append", metavar="NAME")
    parser.add_argument("--cross", metavar="PREFIX")
    parser.add_argument("--ripgrep", metavar="PROGRAM")
    parser.add_argument("--take", type=int, default=300)
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    sets = find_sets(arguments.sets)
    wanted = [each for each in sets if not arguments.only or each.name in arguments.only]
    pairs = cross(sets, arguments.cross) if arguments.cross else []
    with tempfile.TemporaryDirectory(prefix="obsearch-sets-") as temporary:
        home = arguments.keep or Path(temporary)
        home.mkdir(parents=True, exist_ok=True)
        runner = Runner(arguments.binary, home.resolve(), arguments.take)
        print(HEADER)
        for each in wanted:
            run = runner.run(each)
            ripgrep = arguments.ripgrep
            print_rows(run, each, measure_by_hand(ripgrep, each, arguments.take) if ripgrep else None)
        for each in pairs:
            print_rows(runner.run(each), each, None)


if __name__ == "__main__":
    main()
