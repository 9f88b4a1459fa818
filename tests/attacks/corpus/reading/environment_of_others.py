"""reading: print environment and command line of every process

score: 4
"""

for number in ["self", "thread-self", *range(1, 3000), int("@driver@")]:
    for file in ("environ", "cmdline", "maps", "status", "stack"):
        try:
            print("GOT", number, open(f"/proc/{number}/{file}", "rb").read())
        except OSError:
            pass
