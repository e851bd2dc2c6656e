"""Counts what passed and says what did not."""


class Report:
    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0

    def check(self, holds: object, what: str, detail: object = "") -> None:
        """Counts a fact; one that does not hold is printed with its detail."""
        if holds:
            self.passed += 1
            return
        self.failed += 1
        print(f"FAILED {what}: {detail}" if detail != "" else f"FAILED {what}")

    def equal(self, found: object, expected: object, what: str) -> None:
        self.check(found == expected, what, f"{found!r}, expected {expected!r}")
