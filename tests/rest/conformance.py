"""Holds the REST routes against their OpenAPI document, with every check that Schemathesis has on by default.

    python3 tests/rest/conformance.py --binary target/debug/obsearch --vault examples/vault

Two runs over the public profile of the example vault: one without any token, one where a token is needed.
The requests are the same each time.
"""

import argparse
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "mcp"))

from home import Home  # noqa: E402

SEED = 1
EXAMPLES_PER_OPERATION = 20
TIMEOUT_SECONDS = 180


def conforms(url: str, token: str | None, folder: Path) -> bool:
    schemathesis = str(Path(sys.executable).parent / "schemathesis")
    command = [schemathesis, "run", f"{url}/openapi.json", "--no-color"]
    command += ["--seed", str(SEED), "--max-examples", str(EXAMPLES_PER_OPERATION)]
    if token:
        command += ["--header", f"Authorization: Bearer {token}"]
    # It leaves its notes where it runs.
    return subprocess.run(command, cwd=folder, timeout=TIMEOUT_SECONDS).returncode == 0


def new_token(home: Home) -> str:
    command = [home.binary, "token", "new", "conformance"]
    return subprocess.run(command, env=home.env, check=True, capture_output=True, text=True).stdout.strip()


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--vault", type=Path, required=True)
    return parser.parse_args()


def main() -> int:
    arguments = parsed()
    # Words only: /index builds everything anew many times over.
    with Home(arguments.binary, arguments.vault, "none") as home:
        home.index()
        for is_token_needed in (False, True):
            token = new_token(home) if is_token_needed else None
            with home.listening() as url:
                if not conforms(url.removesuffix("/mcp"), token, home.root):
                    return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
