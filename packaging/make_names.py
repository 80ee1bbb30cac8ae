#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the number and the name of each row of a table: INDIM_OP(1, Abs, "abs", ...) becomes INDIM_OP_NAME(1, Abs).

  packaging/make_names.py shape/ops/ops.def > op_names.def

Headers make their enums of the names alone, so that a change in another column of a row compiles a few folders anew, and a new
row everything."""

import re
import sys


def main(path):
  with open(path, encoding='utf-8') as table:
    for row in re.findall(r'^(INDIM_\w+)\((\d+), (\w+),', table.read(), re.MULTILINE):
      print('%s_NAME(%s, %s)' % row)


main(sys.argv[1])
