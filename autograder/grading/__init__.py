"""Grading: run one submission, judge its answers, explain its failures, and keep the result."""
