"""Solvers that several consensus methods share; none of them knows a method."""
