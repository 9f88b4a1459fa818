"""Otter-Grader: homeworks made from its masters, and zips and a plugin that grade within it."""
