"""Scores: how well consensus labels match the classes, which parameters are read out, what is significant."""
