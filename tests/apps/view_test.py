"""`pliant view`: served until Ctrl-C."""

import json
import signal
import socket
import struct
import subprocess
import urllib.error
import urllib.request

import pytest

from conftest import BUILD, ROOT


@pytest.fixture
def viewed(tmp_path):
    """Starts `pliant view WORDS`; returns the process and the port. Ends it afterwards."""
    started = []

    def view(*words):
        process = subprocess.Popen([BUILD / "bin" / "pliant", "view", "--no-browser", "--json", *map(str, words)], cwd=tmp_path,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        started.append(process)
        text = ""
        while not text.endswith("}\n"):
            line = process.stdout.readline()
            assert line, process.stderr.read()
            text += line
        return process, json.loads(text)["port"]

    yield view
    for process in started:
        process.kill()
        process.wait()


class Looker:
    """The least of a WebSocket."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.sendall((f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        self.file = self.socket.makefile("rb")
        assert b"101" in self.file.readline()
        while self.file.readline() != b"\r\n":
            pass

    def receive(self):
        kind, length = self.file.read(2)
        if length == 126:
            (length,) = struct.unpack(">H", self.file.read(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", self.file.read(8))
        return kind & 15, self.file.read(length)

    def text(self, name):
        while True:
            kind, data = self.receive()
            if kind == 1 and json.loads(data)["type"] == name:
                return json.loads(data)

    def frame(self):
        while True:
            kind, data = self.receive()
            if kind == 2:
                return data


def fetch(port, path):
    return urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60).read()


@pytest.mark.parametrize("words", [["bar", "--tets", 300, "--handles", 8], ["plate_shell", "--shell", "--handles", 8],
                                   [ROOT / "scenes" / "cantilever.json"]], ids=["shape", "shell", "scene"])
def test_what_is_named_is_served_until_ctrl_c(viewed, words):
    process, port = viewed("--port", 0, *words)
    assert b"<!doctype html>" in fetch(port, "/").lower()
    looker = Looker(port)
    scene = looker.text("scene")
    assert len(fetch(port, scene["bodies"][0]["data"])) > 1000
    assert len(looker.frame()) > 24
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 0
    with pytest.raises(urllib.error.URLError):
        fetch(port, "/")


def test_a_taken_port_is_left_to_its_owner(viewed):
    with socket.socket() as owner:
        owner.bind(("127.0.0.1", 0))
        owner.listen()
        taken = owner.getsockname()[1]
        _, port = viewed("bar", "--tets", 300, "--handles", 8, "--port", taken)
        assert taken < port < taken + 100


def test_a_model_is_viewed_and_time_may_stand(viewed, program, tmp_path):
    assert program("reduce", "bar", "--tets", 300, "--handles", 8, "-o", "bar.pliant").returncode == 0
    _, port = viewed("bar.pliant", "--paused", "--port", 0)
    looker = Looker(port)
    scene = looker.text("scene")
    assert scene["title"] == "bar.pliant" and not scene["bodies"][0]["can_rebuild"] and scene["bodies"][0]["samples"] > 10
    assert looker.text("state")["paused"]


@pytest.mark.parametrize("words, code, sentence", [
    (["nothing.obj"], 1, "nothing.obj"), (["dodo"], 1, "dodo"), (["bar", "--port", "70000"], 2, "--port"),
    (["bar", "--tets", "300", "--address", "nowhere"], 1, "nowhere"),
])
def test_what_cannot_be_viewed_gets_a_sentence(program, words, code, sentence):
    done = program("view", "--no-browser", *words)
    assert done.returncode == code and sentence in done.stderr and done.stderr.startswith("pliant: ")


def test_many_viewers_are_measured(program):
    done = program("bench", "view", "--vertices", 1500, "--handles", 20, "--viewers", 5, "--seconds", 0.5, "--json")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["viewers"] == 5 and figures["bytes_per_frame"] == 24 + 48 * 20 and figures["frames_per_s"] > 1


def test_the_first_frame_of_a_mesh_is_measured(program):
    assert program("shape", "torus", "--tets", 2000, "-o", "torus.obj").returncode == 0
    done = program("bench", "view", "--first-frame", "torus.obj", "--json")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["first_frame_s"] > figures["prepare_s"] > 0
