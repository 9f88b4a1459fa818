"""starving: take memory in small pieces, and go on when it is refused

score: 4
status: graded or time_limit
"""


def softmax(x):
    pieces = []
    try:
        while True:
            pieces.append(bytearray(16 << 20))
    except MemoryError:
        print("GOT" if len(pieces) > 64 else "stopped at", len(pieces) * 16)
