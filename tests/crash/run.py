#!/usr/bin/env python3
"""Kills, fills disks, flips bits and crowds, and looks each time whether an index is whole and nothing needs a human.

    python3 tests/crash/run.py [--binary target/release/obsearch] [--kills 200] [--sizes 20] [--flips 200]
                               [--boundaries 400] [--notes 400] [--seed 1]

A vault of made-up notes is indexed by words (vectors are written by the same transactions), then changed, and the
run that brings the index up to date is stopped:

- `kills`: by SIGKILL, at random moments of its run;
- `boundaries`: by SIGKILL at its Nth write, sync, rename, truncation or removal, for N spread over all there are
  (strace; left out without it);
- `sizes`: by a limit on the size of files, and by a full disk where a tmpfs can be mounted;
- `flips`: not at all, but bytes of the finished file are changed, cut off or overwritten;
- a crowd of five indexes and servers works on one vault at once.

After each, without any repair by hand: a search must answer, from the old or the new notes; a tree that is damaged may
answer with an error that says so, never with nothing; the next run must succeed and give the answers of a fresh index. (After
a damage that the checks of SQLite and obsearch cannot see they may differ; those are counted.)
Prints what was done and what failed; exits 1 if anything did. Needs nothing but Python, and strace for its part.
"""

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORDS = "river stone bread lamp harbour ferry varnish mast rope anchor tide chart compass barrel plank sail".split()
CALLS = "pwrite64,write,fsync,fdatasync,rename,renameat,renameat2,ftruncate,unlink,unlinkat"
EVERYWHERE = "everywhere"


def word_of(number: int, generation: int) -> str:
    """A word that only one version of one note holds."""
    return "zq" + "".join(chr(ord("a") + int(digit)) for digit in f"{number:04}{generation:04}")


class Vault:
    """A home with a vault in it."""

    def __init__(self, binary: Path, root: Path, notes: int, dice: random.Random):
        self.binary, self.root, self.notes, self.dice = binary, root, notes, dice
        self.generation = 0
        (root / "notes").mkdir(parents=True)
        config = root / ".config/obsearch/config.toml"
        config.parent.mkdir(parents=True)
        config.write_text(f'[vault]\npath = "{root / "notes"}"\n[embeddings]\nbackend = "none"\n')
        config.chmod(0o600)
        for number in range(notes):
            self.write(number)

    def write(self, number: int) -> None:
        words = " ".join(self.dice.choices(WORDS, k=60))
        links = f"[[Note {self.dice.randrange(self.notes)}]]"
        text = f"# Note {number}\n\n{EVERYWHERE} {word_of(number, self.generation)} {words}\n\n{links} #tag{number % 7}\n"
        (self.root / "notes" / f"Note {number}.md").write_text(text)

    def change(self) -> None:
        """A third of the notes change, some go, some come."""
        self.generation += 1
        for number in self.dice.sample(range(self.notes), self.notes // 3):
            self.write(number)
        for number in self.dice.sample(range(self.notes), self.notes // 20):
            (self.root / "notes" / f"Note {number}.md").unlink(missing_ok=True)

    def command(self, *arguments: str) -> list[str]:
        return [str(self.binary), *arguments]

    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.root), "PATH": os.environ["PATH"]}

    def start(self, *arguments: str, prefix: tuple[str, ...] = (), limit: int | None = None) -> subprocess.Popen:
        def bound() -> None:
            if limit is not None:
                # Reaching it is an error of the write, not the end of the process.
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        return subprocess.Popen(
            [*prefix, *self.command(*arguments)],
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=bound if limit is not None else None,
            text=True,
        )

    def run(self, *arguments: str, **options) -> tuple[int, str, str]:
        process = self.start(*arguments, **options)
        out, err = process.communicate(timeout=300)
        return process.returncode, out, err

    def search(self, query: str, profile: str = "public") -> tuple[int, dict | None, str]:
        code, out, err = self.run("search", query, "--json", "--limit", "20", "--profile", profile)
        return code, json.loads(out) if out.strip() else None, err

    def answers(self) -> list:
        """What a fresh index must answer alike: everything but when it was built."""
        found = []
        # Nothing that more notes hold equally often than are looked at: of those, the index may give any.
        only = [word_of(number, generation) for number in range(0, self.notes, self.notes // 8) for generation in (0, self.generation)]
        for query in [" ".join(WORDS[:4]), " ".join(WORDS[4:8]), *only]:
            _, answer, _ = self.search(query)
            (answer or {}).pop("indexed_at", None)
            found.append(answer)
        return found

    def data(self) -> Path:
        return self.root / ".local/share/obsearch"

    def trees(self) -> list[Path]:
        return sorted(path for path in self.data().rglob("*.db") if path.is_file())

    def save(self, to: Path) -> None:
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(self.data(), to)

    def restore(self, saved: Path) -> None:
        shutil.rmtree(self.data(), ignore_errors=True)
        shutil.copytree(saved, self.data())


class Report:
    def __init__(self) -> None:
        self.done: dict[str, int] = {}
        self.failures: list[str] = []

    def count(self, kind: str) -> None:
        self.done[kind] = self.done.get(kind, 0) + 1

    def fail(self, kind: str, detail: str) -> None:
        self.failures.append(f"{kind}: {detail}")
        print(f"FAILED {kind}: {detail}", flush=True)


def check_between(vault: Vault, report: Report, kind: str, detail: str, may_be_damaged: bool = False) -> None:
    """Straight after: a search answers from the old or the new notes, or says that the index is damaged."""
    code, answer, err = vault.search(EVERYWHERE)
    if code == 0 and answer and answer["passages"]:
        return
    if may_be_damaged and code == 2 and "error:" in err:
        return
    report.fail(kind, f"{detail}: the search gave {code}, {answer}, {err[:200]}")


def check_after(vault: Vault, report: Report, kind: str, detail: str, expected: list) -> None:
    """The next run succeeds by itself and gives the answers of a fresh index."""
    code, _, err = vault.run("index", "--quiet")
    if code != 0:
        report.fail(kind, f"{detail}: the next run ended with {code}: {err[:300]}")
    elif vault.answers() != expected:
        report.fail(kind, f"{detail}: the next run gives other answers than a fresh index")
    left = [str(path) for path in vault.data().rglob("*") if path.name.endswith((".tmp", ".part"))]
    if left:
        report.fail(kind, f"{detail}: left behind: {left}")


def prepared(vault: Vault, saved: Path) -> list:
    """Indexes, keeps that, changes the notes, and gives what a fresh index of the changed notes answers."""
    assert vault.run("index", "--quiet")[0] == 0
    vault.save(saved)
    vault.change()
    assert vault.run("index", "--quiet", "--rebuild")[0] == 0
    expected = vault.answers()
    vault.restore(saved)
    return expected


def kills(vault: Vault, report: Report, count: int, saved: Path) -> None:
    expected = prepared(vault, saved)
    began = time.perf_counter()
    vault.run("index", "--quiet")
    longest = time.perf_counter() - began
    for number in range(count):
        vault.restore(saved)
        arguments = ("index", "--quiet", "--rebuild") if number % 4 == 3 else ("index", "--quiet")
        process = vault.start(*arguments)
        moment = vault.dice.uniform(0, longest * 1.1)
        time.sleep(moment)
        process.kill()
        process.communicate()
        check_between(vault, report, "kill", f"after {moment:.3f} s of {' '.join(arguments)}")
        check_after(vault, report, "kill", f"after {moment:.3f} s of {' '.join(arguments)}", expected)
        report.count("kills at random moments")


def boundaries(vault: Vault, report: Report, count: int, saved: Path) -> None:
    if shutil.which("strace") is None:
        print("left out: there is no strace")
        return
    expected = prepared(vault, saved)
    for arguments in [("index", "--quiet"), ("index", "--quiet", "--rebuild")]:
        vault.restore(saved)
        log = saved.parent / "strace.log"
        vault.run(*arguments, prefix=("strace", "-f", "-o", str(log), "-e", f"trace={CALLS}"))
        # Of each kind, as strace counts the occurrences of each call for itself.
        calls: dict[str, int] = {}
        for line in log.read_text().splitlines():
            name = line.split("(")[0].split()[-1]
            if name in CALLS.split(","):
                calls[name] = calls.get(name, 0) + 1
        total = sum(calls.values())
        for name, times in calls.items():
            share = max(3, count // 2 * times // total)
            moments = sorted({max(1, round(times * step / share)) for step in range(1, share + 1)})
            for moment in moments:
                vault.restore(saved)
                inject = f"inject={name}:signal=KILL:when={moment}"
                vault.run(*arguments, prefix=("strace", "-f", "-o", "/dev/null", "-e", f"trace={name}", "-e", inject))
                detail = f"at {name} {moment} of {times}, {' '.join(arguments)}"
                check_between(vault, report, "boundary", detail)
                check_after(vault, report, "boundary", detail, expected)
                report.count(f"kills at a boundary ({name})")


def sizes(vault: Vault, report: Report, count: int, saved: Path) -> None:
    expected = prepared(vault, saved)
    whole = max(path.stat().st_size for path in vault.trees())
    for step in range(count):
        vault.restore(saved)
        limit = 4096 + whole * 2 * step // count
        code, _, err = vault.run("index", "--quiet", limit=limit)
        if code not in (0, 2) or "panicked" in err:
            report.fail("full", f"{limit} bytes: {code}, {err[:200]}")
        check_between(vault, report, "full", f"files of {limit} bytes at most")
        check_after(vault, report, "full", f"files of {limit} bytes at most", expected)
        report.count("runs with a limit on files")


def full_disk(vault: Vault, report: Report, count: int, saved: Path) -> None:
    expected = prepared(vault, saved)
    used = sum(path.stat().st_size for path in saved.rglob("*") if path.is_file())
    for step in range(count):
        shutil.rmtree(vault.data(), ignore_errors=True)
        vault.data().mkdir(mode=0o700)
        size = used + 16384 + used * 3 * step // count
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", vault.data()], stderr=subprocess.DEVNULL).returncode:
            print("left out: no tmpfs can be mounted here")
            return
        try:
            shutil.copytree(saved, vault.data(), dirs_exist_ok=True)
            code, _, err = vault.run("index", "--quiet")
            if code not in (0, 2) or "panicked" in err:
                report.fail("full disk", f"{size} bytes: {code}, {err[:200]}")
            check_between(vault, report, "full disk", f"{size} bytes")
            subprocess.run(["mount", "-o", "remount,size=1g", vault.data()], check=True)
            check_after(vault, report, "full disk", f"{size} bytes", expected)
            report.count("full disks")
        finally:
            subprocess.run(["umount", vault.data()], check=True)
    vault.restore(saved)


def flips(vault: Vault, report: Report, count: int, saved: Path) -> None:
    expected = prepared(vault, saved)
    vault.run("index", "--quiet")
    good = saved.parent / "good"
    vault.save(good)
    for number in range(count):
        vault.restore(good)
        tree = vault.dice.choice(vault.trees())
        content = bytearray(tree.read_bytes())
        place = vault.dice.randrange(len(content))
        kind = ["bit", "bytes", "page", "end", "zeros"][number % 5]
        if kind == "bit":
            content[place] ^= 1 << vault.dice.randrange(8)
        elif kind == "bytes":
            content[place : place + 16] = vault.dice.randbytes(len(content[place : place + 16]))
        elif kind == "page":
            start = place // 4096 * 4096
            content[start : start + 4096] = vault.dice.randbytes(4096)
        elif kind == "end":
            del content[place:]
        else:
            content[place : place + 4096] = bytes(len(content[place : place + 4096]))
        tree.write_bytes(content)
        detail = f"{kind} at {place} of {tree.name}"
        check_between(vault, report, "damage", detail, may_be_damaged=True)
        code, _, err = vault.run("index", "--quiet")
        if code != 0:
            report.fail("damage", f"{detail}: the next run ended with {code}: {err[:300]}")
        elif vault.answers() != expected:
            # SQLite keeps no checksums of pages: a number that became another number is one.
            report.count("damages that no check sees")
        report.count(f"damaged files ({kind})")


def crowd(vault: Vault, report: Report, rounds: int, saved: Path) -> None:
    for _ in range(rounds):
        expected = prepared(vault, saved)
        servers = [
            subprocess.Popen(vault.command("serve"), env=vault.environment(), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
            for _ in range(3)
        ]
        indexes = [vault.start("index", "--quiet") for _ in range(2)]
        for _ in range(8):
            check_between(vault, report, "crowd", "while five work")
        for process in indexes:
            _, err = process.communicate(timeout=120)
            if process.returncode != 0 and "Another obsearch is writing" not in err:
                report.fail("crowd", f"an index run ended with {process.returncode}: {err[:200]}")
        for server in servers:
            server.stdin.close()
            if server.wait(timeout=30) != 0:
                report.fail("crowd", f"a server ended with {server.returncode}")
        check_after(vault, report, "crowd", "after five worked", expected)
        report.count("crowds of five")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, default=Path("target/release/obsearch"))
    for name, default in [("kills", 200), ("boundaries", 400), ("sizes", 20), ("flips", 200), ("crowds", 5), ("notes", 400), ("seed", 1)]:
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    report = Report()
    parts = [("kills", kills), ("boundaries", boundaries), ("sizes", sizes), ("sizes", full_disk), ("flips", flips), ("crowds", crowd)]
    for name, part in parts:
        if not getattr(options, name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            vault = Vault(options.binary.resolve(), root / "home", options.notes, random.Random(options.seed))
            part(vault, report, getattr(options, name), root / "saved")
    for kind, count in report.done.items():
        print(f"{count:5} {kind}")
    print(f"{len(report.failures)} failures")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
