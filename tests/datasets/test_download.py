import gzip
import hashlib
import json
import re
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

from consclust.datasets import download
from consclust.datasets.registry import DatasetSpec, RawFile
from consclust.errors import InputError

DATA = bytes(range(256)) * 20
SHA = hashlib.sha256(DATA).hexdigest()
HTML = b"\n<!DOCTYPE html><html><body>404: sign in</body></html>"
WRONG = DATA[::-1]
LONG = DATA * 60  # several chunks of a download
BOMB = gzip.compress(bytes(10**7))


FETCH = """
import sys
from pathlib import Path
from consclust.datasets import download, registry
entry = registry.load_registry(Path(sys.argv[1]))["toy"]
download.fetch("toy", entry, entry.file("toy.mat"), Path(sys.argv[2]))
"""
"""A process that fetches the file of a registry."""


class Handler(BaseHTTPRequestHandler):
    requests: list[str]
    pauses: list[float]  # of the client, before it tries again
    outages = 0
    over: threading.Event  # set when the test is over

    def do_GET(self):
        self.requests.append(self.path)
        hostile = getattr(self, f"do_{self.path[1:]}", None)
        if hostile:
            hostile()
        elif self.path == "/flaky" and Handler.outages:
            Handler.outages -= 1
            self.send_error(503)
        elif self.path == "/missing":
            self.send_error(404)
        elif self.path == "/cut":  # the connection breaks before the announced end
            self.answer(DATA[:1000], len(DATA))
        else:
            bodies = {"/short": DATA[:1000], "/page": HTML, "/wrong": WRONG, "/lfs": b"version https://git-lfs.x"}
            body = bodies.get(self.path, DATA)
            self.answer(body, len(body))

    def do_stall(self):
        self.answer(DATA[:1000], len(DATA))
        self.over.wait()

    def do_long(self):
        again = len(self.requests) > 1
        self.answer(LONG if again else LONG[: len(LONG) // 2], len(LONG))
        if not again:  # the client gets no more before it is killed
            self.over.wait()

    def do_silence(self):
        self.over.wait()

    def do_drip(self):
        self.answer(b"", len(DATA))
        while not self.over.wait(0.02):
            self.wfile.write(b"x")

    def do_endless(self):
        self.send_response(200)
        self.end_headers()
        while not self.over.is_set():
            self.wfile.write(DATA)

    def do_bomb(self):
        self.answer(BOMB, len(BOMB), ("Content-Encoding", "gzip"))

    def do_no_gzip(self):
        self.answer(DATA, len(DATA), ("Content-Encoding", "gzip"))

    def do_packed(self):
        body = gzip.compress(DATA)
        self.answer(body, len(body), ("Content-Encoding", "gzip"))

    def do_round(self):
        self.redirect("/round")

    def do_to_a_file(self):
        self.redirect(f"file://{__file__}")

    def do_elsewhere(self):
        self.redirect("/data")

    def redirect(self, place):
        self.send_response(302)
        self.send_header("Location", place)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def answer(self, body, length, *headers):
        self.send_response(200)
        for header in (("Content-Length", str(length)), *headers):
            self.send_header(*header)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class Quiet(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """Say nothing of a client that has gone."""


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv(download.MIRROR_VARIABLE, raising=False)
    Handler.requests, Handler.pauses, Handler.outages, Handler.over = [], [], 0, threading.Event()
    monkeypatch.setattr("pooch.core.time", SimpleNamespace(sleep=Handler.pauses.append))
    with Quiet(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}"
        Handler.over.set()
        http.shutdown()
        thread.join()


def remote(*urls):
    return RawFile(name="toy.mat", urls=urls, sha256=SHA, bytes=len(DATA), mirror="files/toy/toy.mat")


def spec(file, **more):
    return DatasetSpec(
        title="Toy", shape=(1, 1, 1), reader={"format": "mat"}, files=[file], licence="none", source="here", **more
    )


def get(target, file, mirror=None):
    download.fetch("toy", spec(file), file, target, mirror)


def refusal(target, file, mirror=None):
    """The message of a failed fetch: one line, nothing left behind, with all that the user needs."""
    before = set(target.parent.iterdir()) if target.parent.exists() else set()
    with pytest.raises(InputError) as caught:
        get(target, file, mirror)
    message = str(caught.value)
    after = set(target.parent.iterdir()) if target.parent.exists() else set()
    assert after == before
    assert "\n" not in message
    for word in ("toy", "toy.mat", SHA, str(len(DATA)), str(target), "by hand", "data_mirror", *file.urls):
        assert word in message
    return message


def test_from_a_public_address(server, tmp_path):
    target = tmp_path / "raw/toy/toy.mat"
    get(target, remote(f"{server}/data"))
    assert target.read_bytes() == DATA
    assert [path.name for path in target.parent.iterdir()] == ["toy.mat"]
    assert target.stat().st_mode & 0o777 == 0o644, "others can read it"


def test_a_file_in_place_is_accepted_and_nothing_is_asked(server, tmp_path):
    target = tmp_path / "toy.mat"
    target.write_bytes(DATA)
    get(target, remote(f"{server}/data"))
    assert Handler.requests == []


def test_a_wrong_file_in_place_is_refused_and_kept(server, tmp_path):
    target = tmp_path / "toy.mat"
    target.write_bytes(WRONG)
    message = refusal(target, remote(f"{server}/data"))
    assert "wrong checksum" in message
    assert hashlib.sha256(WRONG).hexdigest() in message
    assert target.read_bytes() == WRONG
    assert Handler.requests == []


@pytest.mark.parametrize(
    ("path", "reason", "size"),
    [
        ("short", "truncated", 1000),
        ("page", "an HTML page instead of data", len(HTML)),
        ("wrong", "wrong checksum", len(DATA)),
        ("lfs", "a Git LFS pointer instead of data", 25),
    ],
)
def test_what_is_not_the_file_is_refused_with_the_reason(server, tmp_path, path, reason, size):
    message = refusal(tmp_path / "toy.mat", remote(f"{server}/{path}"))
    assert f"/{path}: {reason} (sha256 " in message
    assert f"{size} bytes, expected {len(DATA)}" in message
    assert Handler.requests == [f"/{path}"]  # asking again would give the same


@pytest.mark.long
@pytest.mark.parametrize(
    ("path", "reason", "attempts"),
    [
        ("silence", "no answer within 0.5 s (2 attempts)", 2),
        ("stall", "no answer within 0.5 s (2 attempts)", 2),
        ("drip", "slower than 10,000,000 bytes a second (2 attempts)", 2),
        ("endless", "longer than the file", 1),
        ("bomb", "longer than the file", 1),
        ("no_gzip", "connection failed (", 1),
        ("round", "connection failed (Exceeded 30 redirects", 31),
        ("to_a_file", "connection failed (No connection adapters were found for 'file://", 1),
    ],
)
def test_a_hostile_server_is_given_up_and_the_next_try_succeeds(server, tmp_path, monkeypatch, path, reason, attempts):
    with monkeypatch.context() as impatient:
        if attempts == 2:
            for name, value in {"TIMEOUT": 0.5, "SLOWEST": 10**7, "ATTEMPTS": 2}.items():
                impatient.setattr(download, name, value)
        message = refusal(tmp_path / "raw/toy.mat", remote(f"{server}/{path}"))
    assert f"/{path}: {reason}" in message
    assert Handler.requests == [f"/{path}"] * attempts
    written = re.search(r"; (\d+) bytes, expected", message)
    assert not written or int(written[1]) <= len(DATA) + download.CHUNK
    get(tmp_path / "raw/toy.mat", remote(f"{server}/data"))
    assert (tmp_path / "raw/toy.mat").read_bytes() == DATA


@pytest.mark.parametrize("path", ["packed", "elsewhere"])
def test_compression_and_redirection_are_followed(server, tmp_path, path):
    get(tmp_path / "toy.mat", remote(f"{server}/{path}"))
    assert (tmp_path / "toy.mat").read_bytes() == DATA


def test_interrupted_connection_is_tried_again_then_told(server, tmp_path):
    message = refusal(tmp_path / "toy.mat", remote(f"{server}/cut"))
    assert "(3 attempts)" in message
    assert "connection failed" in message
    assert Handler.requests == ["/cut"] * 3


def test_fails_twice_then_succeeds_with_growing_pauses(server, tmp_path, caplog):
    Handler.outages = 2
    get(tmp_path / "toy.mat", remote(f"{server}/flaky"))
    assert (tmp_path / "toy.mat").read_bytes() == DATA
    assert Handler.pauses == [1, 2]
    # the address has a port, which may have these digits
    assert [message for message in caplog.messages if "status 503" in message] == [
        f"{server}/flaky: HTTP status 503; it is tried 3 times"
    ] * 2


@pytest.mark.long
def test_the_command_that_was_killed_in_the_middle_completes_when_repeated(server, tmp_path):
    target, registry = tmp_path / "raw/toy.mat", tmp_path / "datasets.yaml"
    file = {**remote(f"{server}/long").model_dump(), "sha256": hashlib.sha256(LONG).hexdigest(), "bytes": len(LONG)}
    registry.write_text(json.dumps({"toy": {**spec(remote()).model_dump(mode="json"), "files": [file]}}))
    command = [sys.executable, "-c", FETCH, str(registry), str(target)]
    with subprocess.Popen(command) as running:
        while not any(path.stat().st_size for path in tmp_path.glob("raw/*")):
            assert running.poll() is None
            time.sleep(0.01)
        running.kill()
    assert not target.exists()
    subprocess.run(command, check=True)
    assert target.read_bytes() == LONG
    assert Handler.requests == ["/long", "/long"]


def test_next_address_after_a_bad_one(server, tmp_path):
    get(tmp_path / "toy.mat", remote(f"{server}/missing", f"{server}/page", f"{server}/data"))
    assert (tmp_path / "toy.mat").read_bytes() == DATA
    assert Handler.requests == ["/missing", "/page", "/data"]


def test_every_address_is_listed_with_its_reason(server, tmp_path):
    closed = "http://127.0.0.1:9/toy.mat"
    message = refusal(tmp_path / "toy.mat", remote(f"{server}/missing", closed, f"{server}/wrong"))
    assert re.search(rf"\(1\) {server}/missing: HTTP status 404;", message)
    assert re.search(rf"\(2\) {closed}: connection failed \(.*refused.*\(3 attempts\);", message)
    assert re.search(rf"\(3\) {server}/wrong: wrong checksum", message)


def test_mirror_folder_comes_first(server, tmp_path):
    mirror = tmp_path / "mirror"
    (mirror / "files/toy").mkdir(parents=True)
    (mirror / "files/toy/toy.mat").write_bytes(DATA)
    get(tmp_path / "toy.mat", remote(f"{server}/data"), str(mirror))
    assert (tmp_path / "toy.mat").read_bytes() == DATA
    assert Handler.requests == []


def test_mirror_without_the_file_or_with_a_bad_copy_is_passed_over(server, tmp_path):
    mirror = tmp_path / "mirror"
    (mirror / "files/toy").mkdir(parents=True)
    get(tmp_path / "one.mat", remote(f"{server}/data"), str(mirror))
    (mirror / "files/toy/toy.mat").write_bytes(WRONG)
    get(tmp_path / "two.mat", remote(f"{server}/data"), str(mirror))
    assert (tmp_path / "two.mat").read_bytes() == DATA
    message = refusal(tmp_path / "three.mat", remote(), str(mirror))
    assert f"(1) {mirror}/files/toy/toy.mat: wrong checksum" in message


def test_mirror_url_and_variable(server, tmp_path, monkeypatch):
    get(tmp_path / "one.mat", remote(), f"{server}/mirror/")
    monkeypatch.setenv(download.MIRROR_VARIABLE, f"{server}/variable")
    get(tmp_path / "two.mat", remote(), f"{server}/mirror")
    assert Handler.requests == ["/mirror/files/toy/toy.mat", "/variable/files/toy/toy.mat"]


def test_a_file_without_address_tells_where_the_archive_is(server, tmp_path):
    file = remote()
    ready = {"authors": {"file": file, "variable": "L", "runs": 2, "note": "in the archive x.rar"}}
    with pytest.raises(InputError, match=r"no address; place the file .* \[in the archive x.rar\]$"):
        download.fetch("toy", spec(file, ensembles=ready), file, tmp_path / "toy.mat")


def by_hand(**more):
    return RawFile(name="toy.mat", **more)


def test_a_file_placed_by_hand_needs_no_checksum(tmp_path):
    path = tmp_path / "toy.mat"
    with pytest.raises(InputError, match=rf"it has no address; place the file by hand at {path}, in a folder [^\n]*$"):
        get(path, by_hand())
    path.write_bytes(WRONG)
    get(path, by_hand())
    assert path.read_bytes() == WRONG


def test_a_checksum_of_a_file_placed_by_hand_is_held(tmp_path):
    path = tmp_path / "toy.mat"
    path.write_bytes(WRONG)
    with pytest.raises(InputError) as caught:
        download.verify(path, "toy", by_hand(sha256=SHA))
    assert re.search(
        rf"wrong checksum .*{SHA}.*; delete it if it was downloaded, correct sha256 in config/datasets.yaml",
        str(caught.value),
    )
    path.write_bytes(DATA)
    download.verify(path, "toy", by_hand(sha256=SHA))


def test_verify(tmp_path):
    path = tmp_path / "toy.mat"
    with pytest.raises(InputError, match=rf"toy: {path}: no such file; place the file"):
        download.verify(path, "toy", remote("http://a.org/b"))
    path.write_bytes(DATA[:-1])
    with pytest.raises(InputError, match=r"of http://a.org/b: truncated .*; delete it to have it fetched again"):
        download.verify(path, "toy", remote("http://a.org/b"))
    path.write_bytes(DATA)
    download.verify(path, "toy", remote())


def test_a_file_in_place_comes_before_one_placed_elsewhere_and_that_before_any_address(server, tmp_path):
    placed = tmp_path / "placed.mat"
    placed.write_bytes(DATA)
    file = remote(f"{server}/data")
    target = tmp_path / "raw/toy.mat"
    download.fetch("toy", spec(file), file, target, f"{server}/mirror", placed)
    assert target.read_bytes() == placed.read_bytes() == DATA
    placed.write_bytes(WRONG)
    download.fetch("toy", spec(file), file, target, f"{server}/mirror", placed)
    target.unlink()
    with pytest.raises(InputError, match=rf"{placed} is not the registered toy\.mat.*wrong checksum"):
        download.fetch("toy", spec(file), file, target, f"{server}/mirror", placed)
    assert not target.exists()
    assert placed.read_bytes() == WRONG
    assert Handler.requests == []
