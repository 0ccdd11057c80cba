"""Loops over plain arrays, compiled by numba: no objects, no options, no messages.

Every kernel releases the interpreter lock and is cached on disk; threads come from the engines, which
give each block of rows to one kernel call.
"""
