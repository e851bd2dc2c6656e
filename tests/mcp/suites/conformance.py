"""The official conformance suite, whose outcome must be the written baseline: no failure more, and none fewer.

A finding is a check that did not succeed, as `scenario/check`, or a scenario in which nothing was checked at all.
Each finding needs a row of the baseline with a reason, and the finding itself must bear the reason out: its
message matches the row's `says`, or the suite itself calls it untestable.
"""

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tools import Tools

ERAS = ["2025-11-25", "2026-07-28"]
HERE = Path(__file__).parent
PROGRAM = "@modelcontextprotocol/conformance/dist/index.js"
# Of the suite's words for an outcome, those that are no finding.
FINE = ("SUCCESS", "INFO")
# The suite validates every message beside what a scenario is about; that alone checks nothing of the scenario.
BESIDE = "wire-schema-valid"
NOTHING = "nothing checked"


@dataclass(frozen=True)
class Target:
    url: str
    baseline: Path


def product(url: str) -> Target:
    """A server over the vault."""
    return Target(url, HERE / "baseline.json")


def fixture(url: str) -> Target:
    """The same HTTP side with the suite's own fixtures behind it."""
    return Target(url, HERE / "baseline-fixture.json")


@dataclass(frozen=True)
class Finding:
    status: str
    message: str
    untestable: bool


def run(tools: Tools, target: Target, era: str, env: dict[str, str], folder: Path) -> tuple[int, list[str]]:
    """How many checks succeeded, and what differs from the baseline. The folder is filled with all checks."""
    shutil.rmtree(folder, ignore_errors=True)
    options = ["--url", target.url, "--spec-version", era, "--suite", "all", "--timeout", "8000", "-o", str(folder)]
    subprocess.run([*tools.package(PROGRAM), "server", *options], env=env, capture_output=True, timeout=300)
    checks = checks_in(folder)
    missed = set(scenarios(tools, era, env)) ^ set(checks)
    succeeded = sum(check["status"] == "SUCCESS" for found in checks.values() for check in found)
    rows = json.loads(target.baseline.read_text())
    differences = [f"{name}: listed and run are not the same" for name in sorted(missed)]
    return succeeded, differences + compared(findings(checks), rows, era)


def scenarios(tools: Tools, era: str, env: dict[str, str]) -> list[str]:
    command = [*tools.package(PROGRAM), "list", "--server", "--spec-version", era]
    listed = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=True).stdout
    return re.findall(r"^ +- (\S+)", listed, re.MULTILINE)


def checks_in(folder: Path) -> dict[str, list[dict]]:
    """The checks of each scenario that left a result; the folders are `server-NAME-TIME`."""
    time = re.compile(r"-\d{4}-\d\d-\d\dT[\d-]+Z$")
    return {
        time.sub("", file.parent.name).removeprefix("server-"): json.loads(file.read_text())
        for file in sorted(folder.glob("*/checks.json"))
    }


def findings(checks: dict[str, list[dict]]) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for scenario, its_checks in checks.items():
        bad = [check for check in its_checks if check["status"] not in FINE]
        for check in bad:
            found.setdefault(f"{scenario}/{check['id']}", []).append(finding(check))
        if not bad and not any(check["status"] == "SUCCESS" and check["id"] != BESIDE for check in its_checks):
            told = "; ".join(finding(check).message for check in its_checks)
            found[f"{scenario}/{NOTHING}"] = [Finding(NOTHING, told, False)]
    return found


def finding(check: dict) -> Finding:
    details = check.get("details") or {}
    told = [check.get("errorMessage"), details.get("message"), details.get("note")]
    message = next((text for text in told if text), "")
    return Finding(check["status"], message, details.get("untestable") is True)


def compared(found: dict[str, list[Finding]], rows: list[dict], era: str) -> list[str]:
    """Findings without a row, findings that do not bear out their row, rows without a finding."""
    expected = {name: row for row in rows for name in row.get(era, [])}
    differences = []
    for name, its_findings in found.items():
        if name not in expected:
            differences += [f"{name}: {finding.status} {finding.message[:200]}" for finding in its_findings]
        else:
            row = expected[name]
            differences += [f"{name}: not as the baseline says: {f}" for f in its_findings if not bears_out(f, row)]
    stale = [f"{name}: passes now; take it off the baseline" for name in expected if name not in found]
    return differences + stale


def bears_out(finding: Finding, row: dict) -> bool:
    if row.get("untestable"):
        return finding.untestable
    return re.search(row["says"], finding.message) is not None


def control() -> list[str]:
    """What a comparison must notice, and does not."""
    row = {"reason": "no such tool", "says": "unknown tool", "era": ["a/one"]}
    gate = {"reason": "no fixture", "untestable": True, "era": ["a/one"]}
    failed = Finding("FAILURE", "unknown tool", False)
    cases = [
        ("a failure on the baseline", {"a/one": [failed]}, [row], 0),
        ("a failure that is not there", {"a/one": [failed], "a/two": [failed]}, [row], 1),
        ("a second failure of the same check", {"a/one": [failed, Finding("FAILURE", "timed out", False)]}, [row], 1),
        ("a failure for another reason", {"a/one": [Finding("FAILURE", "timed out", False)]}, [row], 1),
        ("a pass on the baseline", {}, [row], 1),
        ("a failure that could be tested", {"a/one": [failed]}, [gate], 1),
        ("a failure that could not be tested", {"a/one": [Finding("FAILURE", "", True)]}, [gate], 0),
        ("a warning", {"a/one": [failed], "a/two": [Finding("WARNING", "", False)]}, [row], 1),
    ]
    return [what for what, found, rows, count in cases if len(compared(found, rows, "era")) != count]
