"""Runs the sandbox's real firewall script and the real server in network namespaces; see run.sh.

The last line says how many checks passed and failed.
"""

import argparse
import sys
import time
from pathlib import Path

import broken
import firewall
import ways
from lab import Lab
from report import Report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--project", type=Path, required=True)
    arguments = parser.parse_args()
    report, lab = Report(), Lab(arguments.binary.resolve(), arguments.project.resolve())
    try:
        firewall.populate(lab)
        steps = [firewall.check_open, firewall.check_closed, firewall.check_tampering, firewall.check_families]
        steps += [broken.check_commands, broken.check_rules, broken.check_settings]
        steps += [ways.check_setup, ways.check_internal, ways.check_socket]
        for step in steps:
            begun = time.monotonic()
            step(lab, report)
            print(f"{step.__module__}.{step.__name__}: {time.monotonic() - begun:.1f} s", file=sys.stderr)
    finally:
        lab.close()
    print("Network: ", end="")
    return report.code()


if __name__ == "__main__":
    sys.exit(main())
