"""safetensors, read here by a reader of ten lines that shares nothing with ours."""

import json
import pickle
import struct

import numpy as np
import pytest

import pliant

DTYPES = {"F64": "<f8", "F32": "<f4", "I32": "<i4", "I64": "<i8", "U8": "u1", "U16": "<u2"}


def plain_reader(path):
    data = path.read_bytes()
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    metadata = header.pop("__metadata__", {})
    body = data[8 + size:]
    return {name: np.frombuffer(body[t["data_offsets"][0]:t["data_offsets"][1]], DTYPES[t["dtype"]]).reshape(t["shape"])
            for name, t in header.items()}, metadata


@pytest.fixture
def tensors():
    rng = np.random.default_rng(0)
    return {"U": rng.normal(size=(12, 5)), "weights": rng.normal(size=7).astype(np.float32),
            "ids": np.arange(6, dtype=np.int32).reshape(2, 3), "cube": np.arange(24, dtype=np.uint16).reshape(2, 3, 4)}


def test_what_we_write_any_reader_reads(tmp_path, tensors):
    path = tmp_path / "model.pliant"
    pliant.write_tensors(path, tensors, {"method": "none"})
    for back, metadata in [plain_reader(path), pliant.read_tensors(path)]:
        assert metadata["method"] == "none"
        assert back.keys() == tensors.keys()
        for name in tensors:
            assert back[name].dtype == tensors[name].dtype and np.array_equal(back[name], tensors[name])


def test_an_array_that_was_pickled_is_like_any_other(tmp_path):
    array = pickle.loads(pickle.dumps(np.arange(3.0)))
    pliant.write_tensors(tmp_path / "a.safetensors", {"a": array})
    assert np.array_equal(pliant.read_tensors(tmp_path / "a.safetensors")[0]["a"], array)


def test_a_file_cut_short_is_a_sentence(tmp_path, tensors):
    path = tmp_path / "model.pliant"
    pliant.write_tensors(path, tensors)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(pliant.InputError, match="model.pliant"):
        pliant.read_tensors(path)


def test_an_array_of_another_kind_is_refused(tmp_path):
    with pytest.raises(pliant.InputError, match="'z' holds complex128"):
        pliant.write_tensors(tmp_path / "x.safetensors", {"z": np.zeros(3, complex)})


@pytest.mark.parametrize("key, words", [(3, "the key 3"), (None, "the key None"), ("\udc80", r"the key '\\udc80'")])
def test_a_name_that_is_no_text_is_refused(tmp_path, key, words):
    with pytest.raises(TypeError, match=f"write_tensors: found {words}; expected a str"):
        pliant.write_tensors(tmp_path / "x.safetensors", {key: np.zeros(3)})
    assert not list(tmp_path.iterdir())
