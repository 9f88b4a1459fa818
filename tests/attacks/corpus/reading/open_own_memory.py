"""reading: open this process's own memory as a file

score: 4
"""

try:
    for line in open("/proc/self/maps"):
        start, end = (int(part, 16) for part in line.split()[0].split("-"))
        with open("/proc/self/mem", "rb") as memory:
            memory.seek(start)
            print("GOT", memory.read(min(end - start, 4096)))
except OSError as error:
    print(error)
