#!/usr/bin/env python3
"""How fast passages become vectors, against ONNX Runtime with the same weights on the same passages.

    pip install onnxruntime tokenizers
    python3 evals/speed.py --notes FOLDER [--model all-minilm-l6-v2] [--count 300] [--round 16] [--bench PROGRAM ...]

The passages are cut by obsearch. Runtimes take turns, round by round, since the speed of a machine that others use as
well changes by the minute: compare the ratios. Each --bench is a build of `benches/embed.rs`
(`cargo bench --no-run --bench embed` names it); with two of them, say of two commits, each is compared to the first.
Without any, the one of this folder is built and run.
"""

import argparse
import json
import statistics
import subprocess
import threading
import time
from pathlib import Path

import numpy
import onnxruntime
from tokenizers import Tokenizer

MODELS = {
    # name: graph, window in tokens, prefix of a passage
    "multilingual-e5-small-96k": ("model_i8e4.onnx", 512, "passage: "),
    "all-minilm-l6-v2": ("model_int8.onnx", 256, ""),
}
FOLDER = Path(__file__).parent.parent / "models"


class Obsearch:
    """A build of the bench on the other end of a pipe."""

    def __init__(self, command, model, notes, count):
        command = [*command, model, notes, str(count)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.passages = json.loads(self.process.stdout.readline())

    def __call__(self, first, end):
        self.process.stdin.write(f"{first} {end}\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return answer["seconds"], answer["vectors"]


class Reference:
    """ONNX Runtime: `sessions` texts at a time, `threads` for each."""

    def __init__(self, model, passages, sessions, threads):
        graph, self.window, self.prefix = MODELS[model]
        self.passages = passages
        self.tokenizer = Tokenizer.from_file(str(FOLDER / model / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.tokenizer.encode_special_tokens = True
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        load = onnxruntime.InferenceSession
        self.sessions = [load(str(FOLDER / model / graph), options) for _ in range(sessions)]

    def __call__(self, first, end):
        vectors = [None] * (end - first)
        left = iter(range(first, end))
        taking = threading.Lock()

        def lane(session):
            while True:
                with taking:
                    number = next(left, None)
                if number is None:
                    return
                vectors[number - first] = self.vector(session, self.passages[number])

        began = time.perf_counter()
        lanes = [threading.Thread(target=lane, args=(session,)) for session in self.sessions]
        for thread in lanes:
            thread.start()
        for thread in lanes:
            thread.join()
        return time.perf_counter() - began, vectors

    def vector(self, session, passage):
        ids = self.tokenizer.encode(self.prefix + passage).ids
        if len(ids) > self.window:
            ids = ids[: self.window - 1] + ids[-1:]
        ids = numpy.array([ids])
        rows = {"input_ids": ids, "attention_mask": ids * 0 + 1, "token_type_ids": ids * 0}
        inputs = {wanted.name: rows[wanted.name] for wanted in session.get_inputs()}
        states = session.run(["last_hidden_state"], inputs)[0][0]
        mean = states.mean(axis=0)
        return mean / numpy.linalg.norm(mean)


def cosine(a, b):
    return float(numpy.dot(a, b))


def compare(runs, passages, size):
    """Seconds of each round, and the least cosine to the first runtime's vectors."""
    seconds, likeness = {name: [] for name in runs}, dict.fromkeys(runs, 1.0)
    for run in runs.values():
        run(0, min(size, passages))  # warm
    for turn, first in enumerate(range(0, passages - size + 1, size)):
        turns = list(runs) if turn % 2 else list(reversed(runs))
        vectors = {}
        for name in turns:
            taken, vectors[name] = runs[name](first, first + size)
            seconds[name].append(taken)
        for name in runs:
            pairs = zip(vectors[next(iter(runs))], vectors[name])
            likeness[name] = min(likeness[name], *(cosine(a, b) for a, b in pairs))
    return seconds, likeness


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", required=True)
    parser.add_argument("--model", default="multilingual-e5-small-96k", choices=MODELS)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--round", type=int, default=16)
    parser.add_argument("--bench", action="append")
    arguments = parser.parse_args()
    builds = [[path] for path in arguments.bench or []] or [["cargo", "bench", "--quiet", "--bench", "embed", "--"]]
    runs = {}
    for build in builds:
        runs[" ".join(build)] = Obsearch(build, arguments.model, arguments.notes, arguments.count)
    passages = next(iter(runs.values())).passages
    for sessions, threads in [(2, 1), (1, 2)]:
        name = f"ONNX Runtime {onnxruntime.__version__}, {sessions} x {threads} threads"
        runs[name] = Reference(arguments.model, passages, sessions, threads)
    seconds, likeness = compare(runs, len(passages), arguments.round)
    first = next(iter(seconds.values()))
    print("passages/s: median, fastest round | median ratio to the first | least cosine to it")
    for name, taken in seconds.items():
        speed, best = (arguments.round / value for value in (statistics.median(taken), min(taken)))
        ratio = statistics.median(reference / own for reference, own in zip(first, taken))
        print(f"{speed:6.1f} {best:6.1f} | {ratio:.2f} | {likeness[name]:.4f} | {name}")


if __name__ == "__main__":
    main()
