#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `make run`: from a clean clone to the server serving, with the demo curriculum in its store, one analysis of it and one graph
# answer shown on the way. Every step is quick when it was done before.
# From the environment: HOST, PORT, DATA (a folder), DOCKER_HOST.
set -euo pipefail
cd "$(dirname "$0")/.."
. cmake/steps.sh

host=${HOST:-127.0.0.1}
port=${PORT:-8001}
[[ $port =~ ^[0-9]+$ && $port -ge 1 && $port -le 65535 ]] || {
  echo "PORT must be a number from 1 to 65535, not '$port'. For example: make run PORT=8002" >&2
  exit 2
}
export LECTERN_HOST=$host LECTERN_PORT=$port
[ -z "${DATA:-}" ] || export LECTERN_DATA=$DATA

# The process that listens on a TCP port: "name (process 123)". Needs nothing but /proc.
listener() {
  local inode fd pid
  inode=$(awk -v port=":$(printf '%04X' "$1")$" '$2 ~ port && $4 == "0A" { print $10; exit }' /proc/net/tcp /proc/net/tcp6 2>/dev/null)
  [ -n "$inode" ] || return
  for fd in /proc/[0-9]*/fd/*; do
    if [ "$(readlink "$fd" 2>/dev/null)" = "socket:[$inode]" ]; then
      pid=${fd#/proc/}
      pid=${pid%%/*}
      echo "$(cat "/proc/$pid/comm") (process $pid)"
      return
    fi
  done
  echo "another user's process"
}

# Asked first: the long steps would be for nothing.
taken=$(listener "$port" || true)
if [ -n "$taken" ]; then
  echo "Port $port is taken by $taken. Stop it, or choose another port: make run PORT=$((port < 65535 ? port + 1 : 8001))" >&2
  exit 1
fi

step "Dependencies" cmake/deps.sh build sandbox
mkdir -p build
step "The page's tools" cmake/deps.sh page || echo "    The server is built without its page." >&2
step "Build" build release --target lectern runner
lectern=build/release/lectern
step "The sandbox's Python" "$lectern" sandbox fetch || echo "    Analyses cannot run before it is there." >&2

if docker_answers; then
  make_image() { cmake/deps.sh image && "$lectern" image build >build/image.log 2>&1; }
  if ! step "Sandbox image for the Docker daemon (log: build/image.log)" make_image; then
    tail -n 5 build/image.log >&2
    echo "    The image could not be made; analyses run in the local sandbox instead." >&2
    export LECTERN_SANDBOX=local
  fi
else
  echo "==> No Docker daemon answers: analyses run under bubblewrap, or as a process where that cannot work"
fi

# Fails where the store holds only curricula of the user's own: they are served, and the demo stays out of them.
load_demo() { session=$("$lectern" demo | tail -n 1) && echo "    session $session"; }
failed() { echo "    That failed. To check this machine, run: $lectern doctor" >&2; }
session=
if step "Demo curriculum" load_demo; then
  echo
  step "An analysis in Python, run in the sandbox: mcp/curriculum/demo/analysis.py" \
    "$lectern" exec --session "$session" mcp/curriculum/demo/analysis.py || failed
  echo
  step "A graph question: lectern graph --session $session bottlenecks" \
    "$lectern" graph --session "$session" --limit 5 bottlenecks || failed
fi
echo
echo "==> Serving (Ctrl-C ends it)"
[ -s build/page/missing.txt ] || echo "    Page:        http://$host:$port/"
echo "    MCP:         http://$host:$port/mcp"
echo "    session API: http://$host:$port/sessions"
echo "    Claude Code: claude mcp add --transport http lectern http://$host:$port/mcp"
exec "$lectern" serve
