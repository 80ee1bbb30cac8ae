#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The completion for zsh in a real zsh, and the man page before mandoc. Needs both (./bazelw sets them up when the command
# line names //tests/tools/help:shells_test).
set -euo pipefail

indim=$PWD/tools/indim
work=$TEST_TMPDIR

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# --- The man page: nothing to complain of but the date, which no version of ours has yet. ---
"$indim" man >"$work/indim.1"
complaints=$(mandoc -Tlint "$work/indim.1" | grep -v 'WARNING: missing date' || true)
[ -z "$complaints" ] || fail "mandoc: $complaints"
mandoc -Tascii "$work/indim.1" | col -b >"$work/page.txt" 2>/dev/null || mandoc -Tascii "$work/indim.1" | sed 's/.\x08//g' >"$work/page.txt"
for text in 'indim check FILE|FOLDER... [FLAG...]' '--format=text|json|sarif|github|junit' '(2,1) + (1,3)' 'EXIT STATUS'; do
  grep -qF -e "$text" "$work/page.txt" || fail "the man page doesn't show $text"
done

# --- zsh ---
"$indim" completion zsh >"$work/_indim"
zsh -n "$work/_indim" || fail "zsh doesn't read the completion"
mkdir -p "$work/files"
: >"$work/files/model.hlo"
cat >"$work/type.zsh" <<'ZSH'
# type.zsh SCRIPT LINE: what an interactive zsh shows when Tab is typed behind LINE.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; autoload -U compinit; compinit -u -D; source $1; bindkey '^I' list-choices; print RE''ADY"
await() {
  local text= part
  for i in {1..200}; do
    while zpty -r -t shell part; do text+=$part; done
    [[ $text == *$1* ]] && break
    sleep 0.1
  done
  print -r -- "$text"
}
await READY >/dev/null
zpty -n -w shell "$2"$'\t'
await "$3"
zpty -d shell
ZSH
# expect LINE WORD: zsh proposes WORD behind LINE.
expect() {
  local shown
  shown=$(cd "$work/files" && zsh -f "$work/type.zsh" "$work/_indim" "$1" "$2" | sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g')
  grep -qF -e "$2" <<<"${shown//$1/}" || fail "zsh proposes no $2 behind '$1': $shown"
}
expect 'indim ch' check
expect 'indim check --form' format
expect 'indim check --format=' sarif
expect 'indim check --disable=IND0007,type-c' type-class-odd
expect 'indim completion ' zsh
expect 'indim explain ranks-' ranks-differ
expect 'indim check mod' model.hlo
echo "zsh and mandoc agree"
