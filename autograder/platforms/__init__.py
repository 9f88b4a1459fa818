"""Learning platforms: read their downloads and rosters, write grades and feedback for them to import.

Each platform is one ``Platform`` (``platform.py``); ``registry.py`` lists them.
"""
