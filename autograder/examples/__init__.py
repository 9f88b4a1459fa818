"""Inputs that students hand in for a drill: their form, and the known mistakes that they expose."""
