# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Shared by the scripts of this folder; sourced from the repository's root.

# Says what is being done, does it, says how long it took.
step() {
  local title=$1 started=$SECONDS
  shift
  echo "==> $title"
  "$@" || return
  [ $((SECONDS - started)) -lt 1 ] || echo "    $((SECONDS - started)) s"
}

# The page's packages and a preset's build folder, configured once; ninja configures again by itself when it has to.
build() {
  local preset=$1
  shift
  cmake/page.sh || return
  [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >build/configure.log || {
    cat build/configure.log >&2
    return 1
  }
  cmake --build --preset "$preset" "$@"
}

# Whether a Docker daemon answers, at DOCKER_HOST or the usual socket.
docker_answers() {
  local host=${DOCKER_HOST:-unix:///var/run/docker.sock}
  case $host in
    unix://*) curl -fsS -m 3 --unix-socket "${host#unix://}" http://localhost/_ping ;;
    tcp://*) curl -fsS -m 3 "http://${host#tcp://}/_ping" ;;
    *) false ;;
  esac >/dev/null 2>&1
}
