"""starving: loop without end while it is imported

score: 0
status: time_limit
"""

while True:
    pass
