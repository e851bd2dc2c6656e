"""Counts what was checked; says what failed."""

import sys


class Report:
    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0

    def check(self, holds: object, what: str, seen: object = "") -> None:
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {what}: {seen}", file=sys.stderr)

    def equal(self, seen: object, expected: object, what: str) -> None:
        self.check(seen == expected, what, f"{seen!r} instead of {expected!r}")

    def code(self) -> int:
        """Prints the last line and gives the exit code; nothing checked is a failure."""
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed or not self.passed else 0
