"""The time of a clone's last commit, read without running git in it, whatever the clone holds."""

import datetime as dt
import os
import struct
import time
import zlib

import pytest

from autograder.platforms.commits import MAX_OBJECT_BYTES, UnknownTimeError, commit, commit_time

from .clones import MONDAY, clone_of, git

TUESDAY = MONDAY + dt.timedelta(days=1)
COMMITS = 40


@pytest.fixture
def clone(tmp_path):
    return clone_of(tmp_path / "hw1-ada", {"a.py": "a"})


@pytest.fixture(scope="module")
def long_history(tmp_path_factory):
    """A repository whose commits resemble each other, so that packs hold them as differences."""
    path = clone_of(tmp_path_factory.mktemp("long") / "hw1-ada", {"a.py": "a"})
    message = "The same words again and again, so that it is worth storing what differs. " * 5
    for number in range(COMMITS - 1):
        time = MONDAY + dt.timedelta(minutes=number)
        git(path, "commit", "-q", "--allow-empty", "-m", f"{message} {number}", when=time)
    return path


def last(path):
    """The file of the last commit, which is not packed."""
    name = git(path, "rev-parse", "HEAD").strip()
    return path / ".git" / "objects" / name[:2] / name[2:]


def replace(path, data):
    path.unlink()
    path.write_bytes(data)


def why_not(path):
    with pytest.raises(UnknownTimeError) as caught:
        commit_time(path)
    return str(caught.value)


def test_the_committers_time_counts_in_any_zone_and_not_the_authors(clone):
    assert commit_time(clone) == MONDAY


@pytest.mark.parametrize("by_offset", ["true", "false"])
def test_every_commit_of_a_pack_is_read_as_git_reads_it(long_history, by_offset):
    git(long_history, "-c", f"repack.useDeltaBaseOffset={by_offset}", "repack", "-adfq", "--window=50")
    git(long_history, "pack-refs", "--all")
    [index] = (long_history / ".git" / "objects" / "pack").glob("*.idx")
    rows = [line.split() for line in git(long_history, "verify-pack", "-v", str(index)).splitlines()]
    packed = [row for row in rows if row[1:2] == ["commit"]]
    assert sum(len(row) == 7 for row in packed) > COMMITS / 2, "most are stored as differences"
    assert not (long_history / ".git" / "refs" / "heads" / "main").exists()
    for row in packed:
        assert commit(long_history / ".git", row[0]).decode() == git(
            long_history, "cat-file", "commit", row[0]
        )
    assert commit_time(long_history) == MONDAY + dt.timedelta(minutes=COMMITS - 2)


def test_what_git_clone_makes_is_read(long_history, tmp_path):
    git(tmp_path, "clone", "-q", "--no-local", str(long_history), "hw1-ada")
    assert commit_time(tmp_path / "hw1-ada") == MONDAY + dt.timedelta(minutes=COMMITS - 2)


def test_what_is_checked_out_counts_and_no_change_that_is_not_committed(clone):
    first = git(clone, "rev-parse", "HEAD").strip()
    git(clone, "commit", "-q", "--allow-empty", "-m", "more", when=TUESDAY)
    (clone / "a.py").write_text("changed, staged or not")
    git(clone, "add", "-A")
    assert commit_time(clone) == TUESDAY
    git(clone, "checkout", "-q", "--force", "--detach", first)
    assert commit_time(clone) == MONDAY


def test_an_empty_repository_has_no_commit(tmp_path):
    git(tmp_path, "init", "-q")
    assert "no commit" in why_not(tmp_path)


def test_a_commit_of_tomorrow_has_no_time_that_could_count(tmp_path):
    tomorrow = dt.datetime.now(dt.UTC) + dt.timedelta(days=1)
    assert "future" in why_not(clone_of(tmp_path, {"a.py": "a"}, tomorrow))


def test_a_git_file_of_a_worktree_or_submodule_is_not_followed(clone):
    git(clone, "worktree", "add", "-q", "../hw1-bo")
    assert (clone.parent / "hw1-bo" / ".git").is_file()
    assert "leads elsewhere" in why_not(clone.parent / "hw1-bo")


def test_an_object_in_another_repository_is_not_looked_up(clone, tmp_path):
    git(tmp_path, "clone", "-q", "--shared", str(clone), "hw1-bo")
    assert (tmp_path / "hw1-bo" / ".git" / "objects" / "info" / "alternates").is_file()
    assert "cannot be read" in why_not(tmp_path / "hw1-bo")


def test_no_program_that_a_clone_names_is_run(clone):
    mark = clone / "it_ran"
    settings = f"\n[core]\n\tfsmonitor = touch {mark}\n\tpager = touch {mark}\n\tsshCommand = touch {mark}\n"
    settings += f'[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\turl = ext::touch {mark}\n'
    with (clone / ".git" / "config").open("a") as config:
        config.write(settings)
    git_says = git(clone, "status")  # so they do have an effect where git runs
    assert "On branch" in git_says
    assert mark.exists()
    mark.unlink()
    assert commit_time(clone) == MONDAY
    last(clone).unlink()  # which git would fetch
    assert "cannot be read" in why_not(clone)
    assert not mark.exists()


def linked_head(clone):
    (clone / ".git" / "HEAD").rename(clone / "elsewhere")
    (clone / ".git" / "HEAD").symlink_to(clone / "elsewhere")


def linked_git(clone):
    (clone / ".git").rename(clone / "elsewhere")
    (clone / ".git").symlink_to(clone / "elsewhere")


def linked_branches(clone):
    (clone / ".git" / "refs" / "heads").rename(clone / "elsewhere")
    (clone / ".git" / "refs" / "heads").symlink_to(clone / "elsewhere")


def linked_objects(clone):
    (clone / ".git" / "objects").rename(clone / "elsewhere")
    (clone / ".git" / "objects").symlink_to(clone / "elsewhere")


def endless_head(clone):
    replace(clone / ".git" / "HEAD", b"a" * 40 + b" " * 10_000)


def piped_head(clone):
    (clone / ".git" / "HEAD").unlink()
    os.mkfifo(clone / ".git" / "HEAD")


def head_upwards(clone):
    (clone / "secret").write_text("a" * 40)
    replace(clone / ".git" / "HEAD", b"ref: refs/../../secret\n")


def head_in_circles(clone):
    replace(clone / ".git" / "refs" / "heads" / "main", b"ref: refs/heads/main\n")


def head_not_text(clone):
    replace(clone / ".git" / "HEAD", b"ref: refs/heads/\xff\0\n")


def bomb(clone):
    replace(last(clone), zlib.compress(b"commit 99999999\0" + b"\0" * (64 << 20)))


def forged(clone):
    text = b"tree 0\ncommitter a <b> 1 +0000\n\nDone"
    replace(last(clone), zlib.compress(b"commit %d\0%s" % (len(text), text)))


def no_zlib(clone):
    replace(last(clone), b"not compressed")


def not_a_commit(clone):
    replace(clone / ".git" / "HEAD", git(clone, "rev-parse", "HEAD^{tree}").encode())


def packed_before(clone):
    git(clone, "repack", "-adq")
    git(clone, "prune-packed")
    [index] = (clone / ".git" / "objects" / "pack").glob("*.idx")
    return index, index.with_suffix(".pack")


def cut_index(clone):
    index, _ = packed_before(clone)
    replace(index, index.read_bytes()[:1040])


def old_index(clone):
    index, _ = packed_before(clone)
    replace(index, b"\0" * 5000)


def offset_nowhere(clone):
    _, pack = packed_before(clone)
    replace(pack, pack.read_bytes()[:12])


def packed_number(kind, size):
    """How an object begins in a pack."""
    return bytes([kind << 4 | size & 15 | (size > 15) << 7]) + (leb(size >> 4) if size > 15 else b"")


def leb(number):
    parts = [number >> shift & 127 for shift in range(0, max(number.bit_length(), 1), 7)]
    return bytes([*(byte | 128 for byte in parts[:-1]), parts[-1]])


def with_deltas(clone, base, *deltas):
    """Make a pack of a blob and of differences, each to the one before; the last one is the last commit."""
    index, pack = packed_before(clone)
    names = [bytes([at]) * 20 for at in range(len(deltas))]
    names.append(bytes.fromhex((clone / ".git" / "refs" / "heads" / "main").read_text()))
    whole, offsets = bytearray(b"PACK\0\0\0\2\0\0\0\1"), [12]
    whole += packed_number(3, len(base)) + zlib.compress(base)
    for before, delta in zip(names, deltas, strict=False):
        offsets.append(len(whole))
        whole += packed_number(7, len(delta)) + before + zlib.compress(delta)
    replace(pack, bytes(whole))
    listed = sorted(zip(names, offsets, strict=True))
    fan = b"".join(struct.pack(">I", sum(name[0] <= byte for name, _ in listed)) for byte in range(256))
    remainder = [*(name for name, _ in listed), b"\0" * 4 * len(listed)]
    remainder += [struct.pack(">I", offset) for _, offset in listed]
    replace(index, b"\xfftOc\0\0\0\2" + fan + b"".join(remainder))


def delta_of_itself(clone):
    index, pack = packed_before(clone)
    name = bytes.fromhex((clone / ".git" / "refs" / "heads" / "main").read_text())
    replace(pack, b"PACK\0\0\0\2\0\0\0\1" + bytes([7 << 4]) + name + zlib.compress(b"\1\1\1a"))
    fan = b"".join(struct.pack(">I", int(byte >= name[0])) for byte in range(256))
    replace(index, b"\xfftOc\0\0\0\2" + fan + name + b"\0" * 4 + struct.pack(">I", 12))


def delta_that_grows(clone):
    """A difference of few bytes that copies its base over and over."""
    with_deltas(clone, b"a" * 65536, b"\x80\x80\x04\xff\xff\xff\x7f" + b"\x80" * (MAX_OBJECT_BYTES // 2))


def deltas_that_copy_nothing(clone):
    """Few bytes of a pack, and millions of orders that make nothing."""
    with_deltas(clone, b"", *([b"\0\0" + b"\x80" * (MAX_OBJECT_BYTES - 100)] * 90))


@pytest.mark.parametrize(
    "damage",
    [
        *(linked_head, linked_git, linked_branches, linked_objects, endless_head, piped_head, head_upwards),
        *(head_in_circles, head_not_text, bomb, forged, no_zlib, not_a_commit, cut_index, old_index),
        *(offset_nowhere, delta_of_itself, delta_that_grows, deltas_that_copy_nothing),
    ],
)
def test_a_clone_that_is_broken_or_hostile_has_no_time(clone, damage):
    damage(clone)
    started = time.process_time()
    assert why_not(clone)
    assert time.process_time() - started < 10  # for nobody is graded before
