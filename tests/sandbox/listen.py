"""Listens on addresses and answers whoever comes with `ok`; says `ready` when all are open.

    python3 listen.py tcp/198.51.100.7/443 udp/198.51.100.7/53
"""

import selectors
import socket
import sys


def opened(text: str) -> socket.socket:
    kind, address, port = text.split("/")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    listener.bind((address, int(port)))
    if kind == "tcp":
        listener.listen(64)
    return listener


def answer(listener: socket.socket) -> None:
    if listener.type == socket.SOCK_STREAM:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"ok")
    else:
        _, sender = listener.recvfrom(2048)
        listener.sendto(b"ok", sender)


def main() -> None:
    selector = selectors.DefaultSelector()
    for text in sys.argv[1:]:
        selector.register(opened(text), selectors.EVENT_READ)
    print("ready", flush=True)
    while True:
        for key, _ in selector.select():
            try:
                answer(key.fileobj)
            except OSError:
                pass  # The other side went away, or its answer is refused: what the tests are about.


if __name__ == "__main__":
    main()
