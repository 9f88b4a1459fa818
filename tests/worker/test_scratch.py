"""Files that a submission writes beside its functions: they lie in memory and cost nothing."""

import os
import re
from pathlib import Path

import pytest

from autograder.sandbox.cold import ColdSandbox
from autograder.worker.scratch import MAX_BYTES, MAX_ENTRIES, ScratchFolder

from .asking import ask, call, module, notebook, values

TEXT = r"""
# open
with open('out.txt', 'w') as file:
    file.write('a\nb')
found = open('out.txt').read().split()
# append
for word in 'ab':
    with open('log.txt', 'a') as f: print(word, file=f)
found = open('log.txt').read().split()
# read and write
f = open('x', 'w+')
f.write('a b')
f.seek(0)
found = f.read().split()
f.close()
# bytes
open('x', 'wb').write(b'a b')
found = open('x', 'rb').read().decode().split()
# lines
open('x', 'w').writelines(['a\n', 'b\n'])
found = [line.strip() for line in open('x')]
# exclusive
open('x', 'x').close()
try: open('x', 'x')
except FileExistsError: found = ['a', 'b']
# temporary folder
open('/tmp/x', 'w').write('a b')
found = open('/tmp/x').read().split()
# logging
import logging
logging.basicConfig(filename='t.log', level='INFO', format='%(message)s', force=True)
logging.info('a b')
found = open('t.log').read().split()
# file handler
import logging
log = logging.getLogger('x')
log.addHandler(logging.FileHandler('logs.txt'))
log.warning('a b')
found = open('logs.txt').read().split()
# makedirs
import os
os.makedirs('out/deep', exist_ok=True)
os.makedirs('out/deep', exist_ok=True)
os.mkdir('out/b')
os.mkdir(os.path.join('out', 'a'))
os.rmdir('out/deep')
found = os.listdir('out')
# exists
import os
os.makedirs('d') if not os.path.exists('d') else None
open('d/x', 'w').close()
ok = os.path.isfile('d/x') and os.path.isdir('d') and os.path.getsize('d/x') == 0 and os.access('d', os.W_OK)
os.remove('d/x')
found = ['a', 'b'] if ok and not os.path.exists('d/x') else None
# pathlib
from pathlib import Path
d = Path('out') / 'sub'
d.mkdir(parents=True, exist_ok=True)
(d / 'x').write_text('a b')
(d / 'y').touch()
(d / 'y').unlink()
ok = [p.name for p in d.iterdir()] == [p.name for p in d.glob('*')] == ['x']
ok = ok and (d / 'x').resolve().is_file() and (Path.cwd() / d / 'x').exists()
(d / 'x').rename(d / 'z')
found = (d / 'z').read_text().split() if ok else None
# beside the file
from pathlib import Path
p = Path(__file__).parent / 'x'
p.write_text('a b')
found = p.read_text().split()
# own source
found = open(__file__).read()[:5].split()[:1] and ['a', 'b']
# chdir
import os
os.mkdir('d')
os.chdir('d')
open('x', 'w').write('a b')
os.chdir('..')
found = open('d/x').read().split() if os.getcwd() == os.path.dirname(os.path.abspath('x')) else None
# chdir to a folder of Colab
import os
os.chdir('/content/drive/MyDrive/hw1')
open('x', 'w').write('a b')
os.makedirs('/content/out')
found = open('/content/drive/MyDrive/hw1/x').read().split() if os.listdir('/content/out') == [] else None
# chdir to the file
import os
os.chdir(os.path.dirname(os.path.abspath(__file__)))
open('x', 'w').write('a b')
found = open('x').read().split()
# walk
import os
os.makedirs('t/a')
open('t/b', 'w').close()
found = sorted(n for _, ds, fs in os.walk('t') for n in ds + fs)
ok = [e.name for e in os.scandir('t') if e.is_dir()] == ['a']
found = found if ok else None
# rename
import os
open('x', 'w').write('a b')
os.rename('x', 'y')
os.replace('y', 'z')
found = open('z').read().split() if os.listdir().count('x') == 0 else None
# rename to itself
import os
open('x', 'w').write('a b')
os.rename('x', 'x')
found = open('x').read().split()
# rename onto a file, and a folder onto an empty one
import os
open('x', 'w').write('a b')
open('y', 'w').close()
os.rename('x', 'y')
os.mkdir('c')
os.mkdir('d')
os.rename('y', 'c/y')
os.replace('c', 'd')
found = open('d/y').read().split() if not os.path.exists('c') else None
# shutil
import os, shutil
os.makedirs('d/e')
open('d/e/x', 'w').write('a b')
shutil.copytree('d', 'c')
shutil.copy('c/e/x', 'y')
shutil.move('y', 'z')
shutil.rmtree('d')
shutil.rmtree('none', ignore_errors=True)
found = open('z').read().split() if not os.path.exists('d') else None
# np.save
np.save('x.npy', np.eye(2))
found = ['a', 'b'] if np.load('x.npy').tolist() == [[1, 0], [0, 1]] else None
# np.savez
np.savez('x', q=np.eye(2))
np.savez_compressed('y.npz', q=np.eye(2))
found = ['a', 'b'] if np.load('x.npz')['q'][0, 0] == np.load('y.npz')['q'][1, 1] == 1 else None
# np.savetxt
np.savetxt('x.csv', np.eye(2), delimiter=',')
same = np.loadtxt('x.csv', delimiter=',') == np.genfromtxt('x.csv', delimiter=',')
found = ['a', 'b'] if same.all() else None
# mkdtemp
import os, tempfile
d = tempfile.mkdtemp()
open(os.path.join(d, 'x'), 'w').write('a b')
found = open(os.path.join(d, 'x')).read().split() if d.startswith(tempfile.gettempdir()) else None
# named temporary file
import os, tempfile
with tempfile.NamedTemporaryFile('w+', suffix='.txt') as f:
    f.write('a b'); f.flush()
    found = open(f.name).read().split()
found = None if os.path.exists(f.name) else found
# temporary directory
import os, tempfile
with tempfile.TemporaryDirectory() as d:
    open(f'{d}/x', 'w').write('a b')
    found = open(f'{d}/x').read().split()
found = None if os.path.exists(d) else found
# temporary file
import tempfile
with tempfile.TemporaryFile('w+') as f:
    f.write('a b'); f.seek(0); found = f.read().split()
# mkstemp
import os, tempfile
fd, name = tempfile.mkstemp()
with os.fdopen(fd, 'w') as f: f.write('a b')
found = open(name).read().split()
os.unlink(name)
# pickle
import pickle
pickle.dump(['a', 'b'], open('x.pkl', 'wb'))
found = pickle.load(open('x.pkl', 'rb'))
# json
import json
with open('x.json', 'w') as f: json.dump(['a', 'b'], f)
found = json.load(open('x.json'))
# csv
import csv
with open('x.csv', 'w', newline='') as f: csv.writer(f).writerow('ab')
with open('x.csv', newline='') as f: found = next(csv.reader(f))
# zipfile
import zipfile
with zipfile.ZipFile('x.zip', 'w') as z: z.writestr('n', 'a b')
found = zipfile.ZipFile('x.zip').read('n').decode().split()
# gzip
import gzip
with gzip.open('x.gz', 'wt') as f: f.write('a b')
found = gzip.open('x.gz', 'rt').read().split()
# the installation
import numpy
found = ['a', 'b'] if len(open(numpy.__file__).read()) > 9 else None
# savefig
import matplotlib.pyplot as plt
plt.savefig('x.png')
found = ['a', 'b']
# redirect
import contextlib
with open('x', 'w') as f, contextlib.redirect_stdout(f): print('a b')
found = open('x').read().split()
"""
HABITS = dict(re.findall(r"(?m)^# (.*)\n((?:[^#\n].*\n)+)", TEXT))


@pytest.mark.parametrize("habit", HABITS)
def test_a_file_can_be_written_and_read_again(sandbox, habit):
    source = f"import numpy as np\n{HABITS[habit]}\ndef f(): return found\n"
    for code in (module(source), notebook(source)) if "(__file__" not in source else [module(source)]:
        report = ask(sandbox, code, call("f"))
        assert [stop.error for stop in report.stops] == []
        assert values(report) == [["a", "b"]]


@pytest.fixture(scope="module")
def cold():
    return ColdSandbox("numpy")


SLOW_HABITS = ("open", "logging", "np.savez", "shutil", "temporary directory", "named temporary file")


@pytest.mark.parametrize("habit", SLOW_HABITS)
def test_it_is_the_same_where_nothing_protects(cold, habit):
    source = f"import numpy as np\n{HABITS[habit]}\ndef f(): return found\n"
    report = ask(cold, module(source), call("f"))
    assert ([stop.error for stop in report.stops], values(report)) == ([], [["a", "b"]])


@pytest.mark.parametrize("path", ["Path('x.pt')", "'x.pt'", "'out/x.pt'"])
def test_torch_saves_and_loads(torch_sandbox, path):
    source = f"""
    import os
    import torch
    from pathlib import Path
    os.makedirs("out", exist_ok=True)
    torch.save({{"w": torch.ones(2)}}, {path})
    w = torch.load({path})["w"]
    layer = torch.nn.Linear(2, 2)
    torch.save(layer.state_dict(), "layer.pt")
    layer.load_state_dict(torch.load("layer.pt"))
    def f(): return w
    """
    report = ask(torch_sandbox, module(source), call("f"))
    assert [stop.error for stop in report.stops] == []
    assert values(report)[0].array.tolist() == [1, 1]


def test_a_function_may_write_and_read_while_it_is_called(sandbox):
    source = """
    import os
    def f(x):
        with open("calls.log", "a") as log:
            log.write(f"{x}\\n")
        return sum(1 for _ in open("calls.log")), os.listdir()
    """
    report = ask(sandbox, module(source), call("f", 1), call("f", 2))
    assert values(report) == [(1, ["calls.log", "homework.py"]), (2, ["calls.log", "homework.py"])]


def test_the_next_submission_finds_nothing(sandbox):
    source = (
        "import os\nfound = os.listdir('.') + os.listdir('/tmp')\nopen('/tmp/x', 'w')\ndef f(): return found"
    )
    for _ in range(2):
        assert values(ask(sandbox, module(source), call("f"))) == [["homework.py"]]


def test_what_is_not_there_is_not_found(sandbox):
    report = ask(sandbox, module("import numpy as np\nx = np.load('data.npy')\ndef f(): return 1"), call("f"))
    assert (values(report), report.stops[0].error.type) == ([1], "FileNotFoundError")


REFUSED = {
    "too large": ("f = open('x', 'wb')\nfor _ in range(99): f.write(bytes(1 << 20))", "28"),
    "far beyond the end": ("f = open('x', 'wb')\nf.seek(1 << 50)\nf.write(b'x')", "28"),
    "large in many files": ("for i in range(99): open(f'x{i}', 'wb').write(bytes(1 << 20))", "28"),
    "too many files": ("for i in range(9999): open(f'x{i}', 'w').close()", "28"),
    "folders in folders": ("import os\nfor i in range(9999):\n    os.mkdir('d')\n    os.chdir('d')", "28"),
    "no folder": ("open('out/x', 'w')", "2"),
    "a folder": ("import os\nos.mkdir('d')\nopen('d')", "21"),
    "not empty": ("import os\nos.makedirs('d/e')\nos.rmdir('d')", "39"),
    "a link": ("import os\nos.symlink('homework.py', 'x')", "1"),
    "out of it": ("import os\nopen('x', 'w')\nos.rename('x', '/usr/x')", "18"),
    "a file onto a folder": ("import os\nopen('x', 'w')\nos.makedirs('d/e')\nos.rename('x', 'd')", "21"),
    "a folder onto a file": ("import os\nopen('x', 'w')\nos.mkdir('d')\nos.rename('d', 'x')", "20"),
    "a folder onto a full one": ("import os\nos.makedirs('d/e')\nos.mkdir('c')\nos.rename('c', 'd')", "39"),
    "a folder into itself": ("import os\nos.mkdir('d')\nos.rename('d', 'd/e')", "22"),
    "into a file": ("import os\nopen('x', 'w')\nopen('y', 'w')\nos.rename('x', 'y/x')", "20"),
    "the folder of Colab": ("import os\nos.rmdir('/content')", "16"),
    "the temporary folder": ("import os\nos.rename('/tmp', 'tmp')", "16"),
    "outside": ("open('/usr/x', 'w')", ""),
    "home": ("import os\nopen(os.path.expanduser('~/x'), 'w')", ""),
}


ERRORS_OF_THE_SYSTEM = (
    "OSError",
    "FileNotFoundError",
    "IsADirectoryError",
    "NotADirectoryError",
    "PermissionError",
)


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_done_is_an_error_of_the_system(sandbox, case):
    source, number = REFUSED[case]
    report = ask(sandbox, module(f"{source}\ndef f(): return 1"), call("f"))
    assert values(report) == [1]
    [stop] = report.stops
    assert stop.error.type in ERRORS_OF_THE_SYSTEM
    assert f"[Errno {number}" in stop.error.message


def test_a_move_that_is_refused_loses_no_file():
    folder = ScratchFolder({})
    with folder.in_use():
        os.makedirs("c/d")
        Path("c/d/x").write_text("a")
        Path("y").write_text("b")
        for source, target in [("y", "c"), ("c", "c/d/e"), ("c", "y"), ("c", "y/c"), ("c", "none/c")]:
            with pytest.raises(OSError, match="Errno"):
                os.rename(source, target)
        assert Path("c/d/x").read_text() == "a"
        assert Path("y").read_text() == "b"


def test_thousands_of_open_files_are_no_trouble(sandbox):
    source = """
    kept = [open('x', 'a') for _ in range(5000)]
    kept[0].write('a')
    kept[0].close()
    def f(): return open('x').read()
    """
    assert values(ask(sandbox, module(source), call("f"))) == ["a"]


def test_everything_is_as_before_afterwards(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").write_text("real")
    before = dict(vars(os))
    with ScratchFolder({"work.py": "x = 1"}).in_use():
        assert Path("work.py").read_text() == "x = 1"
        assert not Path("x").exists()
        Path("y").write_text("memory")
        assert (tmp_path / "x").exists() is str(tmp_path).startswith("/home")
    assert vars(os) == before
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    assert Path("x").read_text() == "real"


def test_a_folder_holds_a_bounded_number_of_bytes_and_entries():
    folder = ScratchFolder({})
    with folder.in_use():
        with open("x", "wb") as file:
            file.write(bytes(MAX_BYTES))
        for number in range(MAX_ENTRIES - 1):
            os.mkdir(str(number))
        with pytest.raises(OSError, match="28"):
            os.mkdir("one more")
