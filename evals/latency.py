#!/usr/bin/env python3
"""How long a client waits: starts `obsearch serve` and times handshake, first answer and warm answers.

    python3 evals/latency.py --vault VAULT [--binary target/release/obsearch] [--mode keyword] [--starts 9]

Reads the index of the calling user (or of XDG_DATA_HOME); run `obsearch --vault VAULT index` first.
Needs nothing but Python.
"""

import argparse
import json
import statistics
import subprocess
import time

QUESTIONS = [
    "how does a hash table resolve collisions between keys",
    "what is the halting problem and why is it undecidable",
    "compiler optimisation of nested loops",
    "difference between tcp and udp protocols",
    "who invented the relational database model",
    "lossless compression of text with arithmetic coding",
    "graph colouring heuristics for register allocation",
    "public key exchange over an insecure channel",
    "what limits the speed of a pipelined processor",
    "training a neural network with backpropagation",
]


class Server:
    """A server on the other end of a pipe, and when it was started."""

    def __init__(self, command):
        self.started = time.perf_counter()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        client = {"name": "latency", "version": "1"}
        self.call("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def call(self, method, params):
        self.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        return json.loads(self.process.stdout.readline())["result"]

    def search(self, query, mode):
        return self.call("tools/call", {"name": "search_vault", "arguments": {"query": query, "mode": mode}})

    def milliseconds(self):
        return (time.perf_counter() - self.started) * 1000

    def stop(self):
        self.process.stdin.close()
        assert self.process.wait(timeout=10) == 0


def cold(command, mode, starts):
    handshakes, answers = [], []
    for number in range(starts):
        server = Server(command)
        handshakes.append(server.milliseconds())
        server.search(QUESTIONS[number % len(QUESTIONS)], mode)
        answers.append(server.milliseconds())
        server.stop()
    print(f"spawn to handshake     median {statistics.median(handshakes):6.1f} ms")
    print(f"spawn to first answer  median {statistics.median(answers):6.1f} ms, fastest {min(answers):.1f}")


def warm(command, mode):
    server = Server(command)
    for query in QUESTIONS:
        server.search(query, mode)
    time.sleep(3)  # the background run is over
    times, sizes = [], []
    for query in QUESTIONS * 5:
        began = time.perf_counter()
        answer = server.search(query, mode)
        times.append((time.perf_counter() - began) * 1000)
        sizes.append(len(answer["content"][0]["text"].encode()))
    server.stop()
    times.sort()
    print(f"warm answer            p50 {statistics.median(times):.1f} ms, p95 {times[int(len(times) * 0.95)]:.1f} ms")
    print(f"text of an answer      median {statistics.median(sizes):.0f} bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vault", required=True)
    parser.add_argument("--binary", default="target/release/obsearch")
    parser.add_argument("--mode", default="keyword", choices=["keyword", "hybrid", "semantic"])
    parser.add_argument("--starts", type=int, default=9)
    arguments = parser.parse_args()
    command = [arguments.binary, "--vault", arguments.vault, "serve"]
    cold(command, arguments.mode, arguments.starts)
    warm(command, arguments.mode)


if __name__ == "__main__":
    main()
