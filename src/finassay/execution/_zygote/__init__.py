"""Runs inside the jail: the interpreter that preloads, forks a child per call, and leaves nothing of a call behind.

Standard library only, and nothing of finassay: it runs in the user's Python, alone, and only the host starts it. In the
jail it is process 1 of a process namespace of its own, so no program in there can signal, trace or outlive it. It
decides nothing: it reports how a child ended, and the host judges.
"""
