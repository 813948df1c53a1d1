"""Ten minutes of coverage-guided fuzzing over the trusted side's decoder.

    .venv/bin/pip install -r requirements-fuzz.lock
    .venv/bin/python -m tests.fuzz_wire [--minutes 10] [--corpus FOLDER]

What must hold of any bytes: a value or a WireError, no other exception; no tensor beyond the bytes that came, no more memory than
the bounds allow (libFuzzer watches the process), no input that takes longer than five seconds. An input that breaks one of these
is written to the corpus folder, named crash-, oom- or timeout-, and the command ends with an error.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import atheris  # type: ignore[import-not-found]  # only where requirements-fuzz.lock is installed
import torch

with atheris.instrument_imports(include=["grading.wire", "grading.student", "json"]):
    from grading.sandbox.inside.codec import DTYPES, encode, pack
    from grading.student import fault
    from grading.wire import Bounds, Decoder, FrameReader, WireError

BOUNDS = Bounds(header_bytes=20_000, blob_bytes=20_000, values=2_000, depth=16, axes=6)
_TIMEOUT_S, _MEMORY_MB = 5, 2_000


def tensor_bytes(value: Any) -> int:
    """Bytes of all tensors in a decoded value."""
    if isinstance(value, torch.Tensor):
        return value.numel() * value.element_size()
    if isinstance(value, (list, tuple)):
        return sum(map(tensor_bytes, value))
    return sum(map(tensor_bytes, value.values())) if isinstance(value, dict) else 0


def test_one_input(data: bytes) -> None:
    """Every other input is a stream as it is; the rest choose the parts of a frame, which gets past the lengths and the JSON."""
    if data[:1] and data[0] % 2:
        provider = atheris.FuzzedDataProvider(data[1:])
        header = {name: form(provider) for name in ("value", "gradients", "error")[: provider.ConsumeIntInRange(1, 3)]}
        data = pack(header, provider.ConsumeBytes(4000))
    read_stream(data)


def form(provider: Any, depth: int = 0) -> Any:
    """A form that is nearly right, as the input chooses."""
    kind = provider.ConsumeIntInRange(0, 9 if depth < 6 else 4)
    several = range(provider.ConsumeIntInRange(0, 4) if kind > 5 else 0)
    if kind == 5:
        sizes = [provider.ConsumeIntInRange(-2, 5) for _ in range(provider.ConsumeIntInRange(0, 7))]
        described: dict[str, Any] = {"dtype": provider.PickValueInList([*DTYPES, "object"]), "shape": sizes}
        described |= {"at": provider.ConsumeIntInRange(-8, 64), "size": provider.ConsumeIntInRange(0, 64)}
        return {provider.PickValueInList(["tensor", "array"]): described}
    if kind == 6:
        return [form(provider, depth + 1) for _ in several]
    if kind == 7:
        return {"tuple": [form(provider, depth + 1) for _ in several], "fields": [provider.ConsumeString(3) for _ in several]}
    if kind == 8:
        return {"dict": [[form(provider, depth + 1), form(provider, depth + 1)] for _ in several]}
    if kind == 9:
        tags = ["tensor", "tuple", "dict", "other", "generator", "classes", "message", "where", "dtype", "shape", "at", "size"]
        return {provider.PickValueInList(tags): form(provider, depth + 1) for _ in several}
    plain = (None, provider.ConsumeBool(), provider.ConsumeInt(9), provider.ConsumeFloat(), provider.ConsumeUnicode(8))
    return plain[min(kind, 4)]


def read_stream(data: bytes) -> None:
    """Feed a stream in parts, as a socket would bring it, and decode every reply in it."""
    reader, stream = FrameReader(BOUNDS), memoryview(data)
    try:
        while stream:
            wanted = reader.missing()
            if not 0 < wanted <= 12 + BOUNDS.header_bytes + BOUNDS.blob_bytes:
                raise AssertionError("more is asked for than the bounds allow")
            reader.feed(bytes(stream[:wanted]))
            stream = stream[wanted:]
            frame = reader.take()
            if frame is not None:
                decode(frame.header, frame.blob)
    except WireError:
        return


def decode(header: dict[str, Any], blob: bytes) -> None:
    """What a Student does with a reply."""
    if "error" in header:
        str(fault("attention", header["error"], {"attention"}))
    decoder = Decoder(blob, BOUNDS)
    if sum(tensor_bytes(decoder.value(header.get(name))) for name in ("value", "gradients")) > len(blob):
        raise AssertionError("more came out than came in")


def seeds() -> list[bytes]:
    """Honest frames, for the fuzzer to begin with."""
    values: list[Any] = [1, "text", None, [1.5, True], (torch.ones(2, 3), torch.zeros(0)), {"a": torch.arange(3)}]
    frames = []
    for value in values:
        blob = bytearray()
        header = {"event": "reply", "value": encode(value, blob), "gradients": None, "changed": [], "operations": ["aten.add"]}
        frames.append(pack(header, bytes(blob)))
    error = {"classes": ["ValueError", "Exception"], "message": "no", "where": ["<cell 1>", 3]}
    return [*frames, pack({"event": "reply", "error": error}), pack({"event": "display", "data": {"text/plain": "x"}})]


def main() -> None:
    """Fuzz for some minutes; libFuzzer prints its counts and ends the process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--corpus", type=Path, default=None)
    chosen = parser.parse_args()
    corpus = chosen.corpus or Path(tempfile.mkdtemp(prefix="fuzz-wire-"))
    corpus.mkdir(parents=True, exist_ok=True)
    for number, frame in enumerate(seeds()):
        (corpus / f"honest-{number}").write_bytes(frame)
    words = corpus.parent / f"{corpus.name}.words"
    tokens = (
        "tensor",
        "array",
        "tuple",
        "fields",
        "dict",
        "other",
        "generator",
        "dtype",
        "shape",
        "at",
        "size",
        "error",
        "value",
    )
    words.write_text("".join(f"{json.dumps(json.dumps(token))}\n" for token in tokens))
    options = [f"-max_total_time={int(chosen.minutes * 60)}", f"-timeout={_TIMEOUT_S}", f"-rss_limit_mb={_MEMORY_MB}"]
    options += [f"-dict={words}", f"-artifact_prefix={corpus}/", "-max_len=8000", "-print_final_stats=1"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], test_one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
