"""Handouts: pages with formulas, tables of numbers and pictures, made from a homework's own files."""
