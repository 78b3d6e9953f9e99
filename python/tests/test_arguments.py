"""What is wrong is said: by the type of the exception, and in a sentence."""

import numpy as np
import pytest

import hamel


@pytest.mark.parametrize(
    "q, kind, words",
    [
        (np.zeros(18), hamel.InvalidArgumentError, r"q has shape \(18,\), expected \(…, 19\)"),
        (np.zeros((2, 18)), ValueError, "expected"),
        (0.0, hamel.InvalidArgumentError, r"q has shape \(\)"),
        (np.zeros(19, complex), TypeError, "q holds complex128"),
        (np.zeros(19, object), TypeError, "q holds object"),
        (["a"] * 19, TypeError, "q must be made of numbers, not \\['"),
        (None, TypeError, "is missing its argument 'q'"),
        (np.full(19, np.nan), hamel.NotFiniteError, "q holds NaN or infinity"),
        (np.zeros(19), hamel.NotNormalizedError, "quaternion"),
    ],
)
def test_bad_configurations(quadruped, q, kind, words):
    with pytest.raises(kind, match=words):
        quadruped.mass_matrix(q)


@pytest.mark.parametrize(
    "like", [list, lambda q: q.astype(np.float32), lambda q: np.asfortranarray(np.tile(q, (3, 1)))[1]]
)
def test_what_can_be_read_is_read(quadruped, like):
    """Lists, other real numbers and other orders are copied."""
    q = quadruped.random(1)
    assert np.allclose(quadruped.mass_matrix(like(q)), quadruped.mass_matrix(q), atol=1e-5)


def test_strided_input_is_copied(quadruped):
    wide = np.repeat(quadruped.random(2, 3), 2, axis=1)
    assert np.array_equal(quadruped.mass_matrix(wide[:, ::2]), quadruped.mass_matrix(quadruped.random(2, 3)))


def test_read_only_input_is_fine_and_nothing_is_copied(quadruped):
    q = quadruped.random(3)
    q.flags.writeable = False
    assert quadruped.integrate(q, np.zeros(18)).shape == (19,)


@pytest.mark.parametrize(
    "out, kind, words",
    [
        (np.empty((18, 18), np.float32), TypeError, "not an array of float64"),
        ([0.0] * 18, TypeError, "not an array of float64"),
        (np.empty((18, 17)), hamel.InvalidArgumentError, r"has shape \(18, 17\), expected \(18, 18\)"),
        (np.empty((18, 36))[:, ::2], ValueError, "not contiguous"),
        (np.empty((18, 18)).T, ValueError, "not contiguous"),
        (np.frombuffer(bytes(18 * 18 * 8)).reshape(18, 18), ValueError, "read-only"),
    ],
)
def test_bad_out(quadruped, out, kind, words):
    with pytest.raises(kind, match=words):
        quadruped.mass_matrix(quadruped.neutral(), out=out)


def test_out_may_not_be_an_argument():
    q = np.array([1.0, 0, 0, 0])
    with pytest.raises(hamel.InvalidArgumentError, match="overlaps"):
        hamel.quat.invert(q, out=q)


def test_words(quadruped):
    q, v = quadruped.neutral(), np.zeros(18)
    with pytest.raises(
        hamel.InvalidArgumentError, match="representation is one of left, right, mixed, split, not 'up'"
    ):
        quadruped.linearize(q, v, representation="up")
    with pytest.raises(TypeError, match="no argument 'tua'"):
        quadruped.linearize(q, v, tua=v)
    with pytest.raises(TypeError, match="two values"):
        quadruped.linearize(q, v, v=v)
    with pytest.raises(TypeError, match="takes 8 arguments"):
        quadruped.linearize(*[q] * 9)
    with pytest.raises(hamel.NotFoundError, match="no frame, body or link is called 'tail'"):
        quadruped.frame("tail", q)
    with pytest.raises(hamel.NotFoundError):
        quadruped.frame(10**6, q)
    with pytest.raises(LookupError):
        quadruped.frame_index("tail")
    with pytest.raises(hamel.InvalidArgumentError, match="threads"):
        quadruped.linearize(q, v, threads=0)
    assert np.array_equal(quadruped.linearize(q, **{"".join(["v"]): v}).A, quadruped.linearize(q, v).A)


def test_broadcasting_that_does_not_fit(quadruped):
    with pytest.raises(hamel.InvalidArgumentError, match="leading dimensions"):
        quadruped.integrate(quadruped.random(0, 3), np.zeros((4, 18)))


def test_files(tmp_path):
    bad = tmp_path / "bad.urdf"
    bad.write_text("<robot name='x'>\n <link name='a'/>\n <link name='a'/>\n</robot>")
    with pytest.raises(hamel.Error) as e:
        hamel.load(bad)
    assert e.value.file == str(bad) and e.value.line == 3 and str(e.value).startswith(f"{bad}:3: ")
    with pytest.raises(hamel.CannotReadError) as e:
        hamel.load(tmp_path / "none.urdf")
    assert isinstance(e.value, OSError)
    with pytest.raises(hamel.BadFileError, match="/bodies"):
        hamel.loads('{"hamel": 1, "bodies": 3}', format="json")
    with pytest.raises(hamel.NotFoundError, match="no file and no robot is called 'nobody'"):
        hamel.load("nobody")
    with pytest.raises(hamel.CannotWriteError):
        hamel.load("pendulum").save_json(tmp_path / "no" / "folder.json")
    for words in ({"base": "x"}, {"format": "x"}, {"mimic": "x"}):
        with pytest.raises(hamel.InvalidArgumentError, match="is one of"):
            hamel.load("pendulum" if "format" not in words else bad, **words)


def test_every_status_has_an_exception():
    from hamel import _errors

    kinds = [c for c in _errors.BY_STATUS if c is not hamel.Error]  # OK, and a number that is not in use
    assert len(set(kinds)) == len(kinds) >= 14
    assert all(issubclass(c, hamel.Error) for c in _errors.BY_STATUS)


def test_contact_needs_a_state(quadruped):
    contact, q, v = hamel.Contact(quadruped, [hamel.Plane()]), quadruped.neutral(), np.zeros(quadruped.nv)
    for arguments in ((None, v), (q, None), (None, None)):
        with pytest.raises(TypeError, match="must be made of numbers, not None"):
            contact.step(*arguments, 1e-3)
    assert contact.step(q, v, 1e-3, None, None).q.shape == q.shape
