"""A home folder of its own for the server: a copy of the example vault, a configuration, an index."""

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

PRIVACY = """
[privacy]
folders = ["Journal", "People/Confidential"]
tags = ["private"]
frontmatter_flag = "private"
"""


class Home:
    """Lives as long as the `with` block around it."""

    def __init__(self, binary: Path, vault: Path, embeddings: str | None):
        self.binary = binary.resolve()
        self._folder = tempfile.TemporaryDirectory(prefix="obsearch-mcp-")
        self.root = Path(self._folder.name).resolve()
        shutil.copytree(vault, self.root / "Notes")
        self._configure(embeddings)

    def _configure(self, embeddings: str | None) -> None:
        file = self.root / ".config" / "obsearch" / "config.toml"
        file.parent.mkdir(parents=True)
        file.parent.chmod(0o700)
        text = f'[vault]\npath = "{self.root / "Notes"}"\n{PRIVACY}\n[server]\nallow_reindex = true\n'
        if embeddings:
            text += f'\n[embeddings]\nbackend = "{embeddings}"\n'
        file.write_text(text)
        file.chmod(0o600)

    @property
    def env(self) -> dict[str, str]:
        """Nothing of the machine but the search path."""
        return {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(self.root),
            "XDG_CONFIG_HOME": str(self.root / ".config"),
            "XDG_DATA_HOME": str(self.root / ".local" / "share"),
            "XDG_CACHE_HOME": str(self.root / ".cache"),
        }

    def index(self, profile: str | None = "public") -> None:
        """Builds the index, or both; the server must not need the time of the first request for it."""
        only = ["--profile", profile] if profile else []
        subprocess.run([self.binary, "index", *only], env=self.env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)

    @contextmanager
    def listening(self, transport: str = "http"):
        """A server on a free port, as its URL."""
        command = [self.binary, "serve", "--transport", transport, "--port", "0"]
        process = subprocess.Popen(command, env=self.env, stderr=subprocess.PIPE, text=True)
        try:
            yield process.stderr.readline().removeprefix("Listening on ").split(". ")[0]
        finally:
            process.terminate()
            process.wait(timeout=5)

    def __enter__(self) -> "Home":
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()
