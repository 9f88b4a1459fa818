"""escaping: ask which pages of a file are in memory, and have some dropped or fetched

score: 4
"""

import ctypes
import mmap
import os

libc = ctypes.CDLL(None, use_errno=True)
SEQUENTIAL, WILL_NEED, DROP, COLD, PAGE_OUT, POPULATE = 2, 3, 4, 20, 21, 22
NOWAIT, PAGE = 8, mmap.PAGESIZE


def qk_scores(Q, K):
    return Q @ K.T


class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


room = ctypes.create_string_buffer(PAGE)
piece = Piece(ctypes.addressof(room), 1)
file = os.open(os.__file__, os.O_RDONLY)
libc.mmap.restype = ctypes.c_void_p
place = ctypes.c_void_p(libc.mmap(None, PAGE, mmap.PROT_READ, mmap.MAP_PRIVATE, file, 0))
tried = {
    "preadv2": libc.preadv2(file, ctypes.byref(piece), 1, ctypes.c_long(0), NOWAIT),
    "mincore": libc.mincore(place, PAGE, room),
    "readahead": libc.readahead(file, ctypes.c_long(0), PAGE),
    **{f"fadvise {advice}": -libc.posix_fadvise(file, 0, 0, advice) for advice in (WILL_NEED, DROP)},
    **{f"madvise {advice}": libc.madvise(place, PAGE, advice) for advice in (SEQUENTIAL, WILL_NEED, COLD)},
    **{f"madvise {advice}": libc.madvise(place, PAGE, advice) for advice in (PAGE_OUT, POPULATE)},
}
for name, result in tried.items():
    if result >= 0:
        print("GOT", name, result)
