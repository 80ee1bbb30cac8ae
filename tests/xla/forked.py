# SPDX-License-Identifier: Apache-2.0
"""Asks jaxlib in a process of its own, which is begun anew where jaxlib dies."""
import multiprocessing
import os


def _answer(judge, items, pipe):
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # its last words when it aborts
    for verdict in judge(items):
        pipe.send(verdict)
    pipe.close()


def ask(judge, items):
    """judge(items) yields a verdict on each of a list; returns them, None where jaxlib dies."""
    verdicts = []
    while len(verdicts) < len(items):
        receiver, sender = multiprocessing.Pipe(False)
        process = multiprocessing.get_context('fork').Process(target=_answer, args=(judge, items[len(verdicts):], sender))
        process.start()
        sender.close()
        try:
            while len(verdicts) < len(items):
                verdicts.append(receiver.recv())
        except EOFError:
            verdicts.append(None)
        process.join()
    return verdicts
