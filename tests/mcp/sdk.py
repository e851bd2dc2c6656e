"""One face for the two generations of the Python SDK: plain dictionaries with the names of the wire."""

from contextlib import asynccontextmanager
from datetime import timedelta
from importlib.metadata import version

SDK = int(version("mcp").split(".")[0])
SECONDS = 60

if SDK == 1:
    from mcp import ClientSession, McpError, StdioServerParameters
    from mcp.client.sse import sse_client
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamablehttp_client

    MODES = ["session"]
else:
    from mcp import Client, MCPError, StdioServerParameters
    from mcp.client.sse import sse_client

    MODES = ["auto", "legacy", "2026-07-28"]


class Refused(Exception):
    """A JSON-RPC error."""

    def __init__(self, code: int, message: str):
        super().__init__(f"{code} {message}")
        self.code = code
        self.message = message


class Session:
    """An open session; `hello` is what the server said of itself."""

    def __init__(self, session, hello: dict):
        self._session = session
        self.hello = hello

    async def tools(self) -> list[dict]:
        return [plain(tool) for tool in (await self._session.list_tools()).tools]

    async def call(self, tool: str, arguments: dict) -> dict:
        """The SDK validates structured content against the output schema by itself, too."""
        try:
            return plain(await self._session.call_tool(tool, arguments))
        except Exception as error:
            raise refusal(error) from error


def plain(model) -> dict:
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


def refusal(error: Exception) -> Exception:
    if SDK == 1 and isinstance(error, McpError):
        return Refused(error.error.code, error.error.message)
    if SDK == 2 and isinstance(error, MCPError):
        return Refused(error.code, error.message)
    return error


@asynccontextmanager
async def connect(command: str, arguments: list[str], env: dict[str, str], mode: str):
    """A session with a process, over its standard input and output."""
    server = StdioServerParameters(command=command, args=arguments, env=env)
    if SDK == 1:
        async with stdio_client(server) as (read, write):
            async with first_session(read, write) as session:
                yield session
    else:
        async with second_session(server, mode) as session:
            yield session


@asynccontextmanager
async def connect_http(url: str, mode: str):
    """A session with a server that listens."""
    if SDK == 1:
        async with streamablehttp_client(url) as (read, write, _):
            async with first_session(read, write) as session:
                yield session
    else:
        async with second_session(url, mode) as session:
            yield session


@asynccontextmanager
async def connect_sse(url: str, mode: str):
    """A session with a server that listens, over the transport of the first revisions."""
    if SDK == 1:
        async with sse_client(url) as (read, write):
            async with first_session(read, write) as session:
                yield session
    else:
        async with second_session(sse_client(url), mode) as session:
            yield session


@asynccontextmanager
async def first_session(read, write):
    patience = timedelta(seconds=SECONDS)
    async with ClientSession(read, write, read_timeout_seconds=patience) as session:
        yield Session(session, plain(await session.initialize()))


@asynccontextmanager
async def second_session(server, mode: str):
    async with Client(server, mode=mode, read_timeout_seconds=SECONDS) as client:
        info = client.server_info
        hello = {"protocolVersion": client.protocol_version, "instructions": client.instructions}
        yield Session(client, hello | ({"serverInfo": plain(info)} if info else {}))
