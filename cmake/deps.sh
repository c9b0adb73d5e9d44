#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What Lectern needs from the system, in one table, and the command that brings what is missing.
#
#   cmake/deps.sh [--check] GROUP...     build sandbox image page test test-full lint coverage, or all
#   cmake/deps.sh --table                the table as Markdown, for the README
#   cmake/deps.sh --libraries            what is linked: the packages of cmake/sysroot.sh
#
# Quiet and quick where nothing is missing. Installs with apt-get, as root or through sudo; where neither is possible it says what
# to type and fails. --check never installs.
set -euo pipefail
cd "$(dirname "$0")/.."

# package | groups | how to see that it is there | what it is for | licence
# cmd: a command in PATH. pc: a pkg-config module. py: a module of /usr/bin/python3. file: a path, with wildcards. A part that came
# from elsewhere than apt counts as there.
# shellcheck disable=SC2016 # the table has commands in `` as text
table='
gcc                       | build      | cmd:cc                    | the C compiler                                  | GPL-3.0-or-later with exception
libc6-dev                 | build      | file:/usr/include/stdio.h | the C library and its headers                   | LGPL-2.1-or-later
cmake                     | build      | cmd:cmake                 | the build                                       | BSD-3-Clause
ninja-build               | build      | cmd:ninja                 | runs the build                                  | Apache-2.0
pkgconf                   | build      | cmd:pkg-config            | finds the libraries                             | ISC
libwebsockets-dev         | build      | pc:libwebsockets          | HTTP, SSE and WebSocket                         | MIT
libuv1-dev                | build      | pc:libuv                  | event loops                                     | MIT
libjansson-dev            | build      | pc:jansson                | JSON                                            | MIT
libjose-dev               | build      | pc:jose                   | signatures of access tokens (JWT)               | Apache-2.0
libssl-dev                | build      | pc:libssl                 | TLS, digests of tokens, MACs                    | Apache-2.0
libcurl4-openssl-dev      | build      | pc:libcurl                | HTTP to Docker, a model, a service as the store | curl
libarchive-dev            | build      | pc:libarchive             | unpacks the Python of the sandbox, and archives of an import | BSD-2-Clause
libseccomp-dev            | build      | pc:libseccomp             | system call filter of the sandbox               | LGPL-2.1-only
libigraph-dev             | build      | pc:igraph                 | graph questions                                 | GPL-2.0-or-later
libsqlite3-dev            | build      | pc:sqlite3                | the embedded store                              | public domain
libunistring-dev          | build      | file:/usr/include/uninorm.h | Unicode: names in Python code, words of a search | LGPL-3.0-or-later or GPL-2.0-or-later
libstemmer-dev            | build      | file:/usr/include/libstemmer.h | word stems, for the search               | BSD-3-Clause
libcsv-dev                | build      | file:/usr/include/csv.h   | CSV files of graph tools                        | LGPL-2.1-or-later
libyaml-dev               | build      | pc:yaml-0.1               | the front matter of Markdown folders            | MIT
libcmark-dev              | build      | pc:libcmark               | reads ordinary Markdown                         | BSD-2-Clause
libxml2-dev               | build      | pc:libxml-2.0             | GraphML, GEXF, sheets of Excel, course packages | MIT
uthash-dev                | build      | file:/usr/include/uthash.h | hash tables                                    | BSD-1-Clause
uuid-dev                  | build      | pc:uuid                   | the identifiers of CASE frameworks, from names  | BSD-3-Clause
libcmocka-dev             | build      | pc:cmocka                 | unit tests                                      | Apache-2.0
bubblewrap                | sandbox    | cmd:bwrap                 | the sandbox where no Docker daemon answers      | LGPL-2.0-or-later
curl                      | sandbox image test | cmd:curl                  | asks whether a Docker daemon or server answers, and brings it the image | curl
docker.io                 | test-full  | cmd:dockerd               | a private Docker daemon for the tests           | Apache-2.0
nodejs                    | page       | cmd:node                  | builds the page; runs the MCP clients of others in the tests | MIT
npm                       | page       | cmd:npm                   | brings what the page is made with, and the MCP clients of others | Artistic-2.0
python3                   | test       | file:/usr/bin/python3     | runs the tests                                  | PSF-2.0
procps                    | test       | cmd:ps                    | looks at processes in the tests                 | GPL-2.0-or-later
python3-networkx          | test       | py:networkx               | the same graph questions, to compare the answers | BSD-3-Clause
python3-scipy             | test       | py:scipy                  | the arithmetic of networkx                      | BSD-3-Clause
python3-openpyxl          | test       | py:openpyxl               | writes workbooks in the tests                   | MIT
python3-yaml              | test       | py:yaml                   | writes front matter as Obsidian does, in the tests | MIT
python3-prometheus-client | test       | py:prometheus_client      | reads what a server counts, in the tests         | Apache-2.0
python3-fastapi           | test       | py:fastapi                | the service of the session API that the tests set beside the server | MIT
python3-uvicorn           | test       | py:uvicorn                | serves it                                       | BSD-3-Clause
python3-uvloop            | test       | py:uvloop                 | its event loop, so that the bench is fair       | MIT or Apache-2.0
python3-httptools         | test       | py:httptools              | its HTTP parser, likewise                       | MIT
python3-websockets        | test       | py:websockets             | clients of /mcp-sync in the tests               | BSD-3-Clause
python3-jwt               | test       | py:jwt                    | signs access tokens in the tests                | MIT
python3-cryptography      | test       | py:cryptography           | makes their keys                                | Apache-2.0 or BSD-3-Clause
groff-base                | test       | cmd:groff                 | shows the manual page in the tests              | GPL-3.0-or-later
openssl                   | test       | cmd:openssl               | makes certificates in the tests                 | Apache-2.0
ca-certificates           | test       | file:/etc/ssl/certs/ca-certificates.crt | whom connections to the service of a model trust | MPL-2.0 and GPL-2.0-or-later
clang                     | test-full  | cmd:clang                 | builds the fuzzers                              | Apache-2.0 with LLVM exception
libclang-rt-dev           | test-full  | file:/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a | what they run with | Apache-2.0 with LLVM exception
gcc-aarch64-linux-gnu     | test-full  | cmd:aarch64-linux-gnu-gcc | builds for 64-bit ARM                           | GPL-3.0-or-later with exception
qemu-user                 | test-full  | cmd:qemu-aarch64          | runs the unit tests of that build               | GPL-2.0-or-later
qemu-system-arm           | test-full  | cmd:qemu-system-aarch64   | runs its sandbox on a kernel                    | GPL-2.0-or-later
gpgv                      | test-full  | cmd:gpgv                  | checks the signature of the Debian index for `lectern sandbox lock` | GPL-3.0-or-later
debian-archive-keyring    | test-full  | file:/usr/share/keyrings/debian-archive-keyring.gpg | the keys for that | GPL-2.0-or-later
mmdebstrap                | test-full  | cmd:mmdebstrap            | makes the root of another Debian in `make soak` | MIT
chromium                  | test-full  | cmd:chromium              | shows the page in the tests                     | BSD-3-Clause
wrk                       | test-full  | cmd:wrk                   | load for the bench of the session API           | Apache-2.0
clang-format              | lint       | cmd:clang-format          | layout of the C code                            | Apache-2.0 with LLVM exception
clang-tidy                | lint       | cmd:clang-tidy            | static analysis                                 | Apache-2.0 with LLVM exception
gcovr                     | coverage   | cmd:gcovr                 | the share of lines that the unit tests run      | BSD-3-Clause
shellcheck                | lint       | cmd:shellcheck            | static analysis of shell scripts                | GPL-3.0-or-later
'

rows() { sed 's/ *| */|/g; s/^ *//; s/ *$//; /^$/d' <<<"$table"; }

if [ "${1:-}" = --table ]; then
  echo '| package | needed for | what it is for | licence |'
  echo '|---|---|---|---|'
  rows | while IFS='|' read -r package groups _ purpose licence; do
    echo "| $package | ${groups// /, } | $purpose | $licence |"
  done
  exit
fi

if [ "${1:-}" = --libraries ]; then
  rows | awk -F '|' '$2 == "build" && $3 !~ /^cmd:/ { printf "%s ", $1 }'
  exit
fi

check=0
if [ "${1:-}" = --check ]; then
  check=1
  shift
fi
[ $# -gt 0 ] || set -- all
for group; do
  case $group in
    build | sandbox | image | page | test | test-full | lint | coverage | all) ;;
    *)
      echo "deps: unknown group '$group'; the groups: build sandbox image page test test-full lint coverage all" >&2
      exit 2
      ;;
  esac
done

wanted() { # does one of the row's groups ($1) stand among those asked for ($2...)?
  local groups=" $1 " group
  shift
  for group; do
    [[ $group == all || $groups == *" $group "* ]] && return 0
  done
  return 1
}

# One start of python3 for all its modules: finding is quick, importing is not.
python_modules=$(rows | sed -n 's/.*|py:\([a-z0-9_]*\)|.*/\1/p')
python_there=' '
if [ -x /usr/bin/python3 ]; then
  # shellcheck disable=SC2086
  python_there=" $(/usr/bin/python3 -c 'import sys
from importlib.util import find_spec
print(*(name for name in sys.argv[1:] if find_spec(name)))' $python_modules) "
fi

there() {
  case $1 in
    cmd:*) command -v "${1#cmd:}" >/dev/null ;;
    pc:*) pkg-config --exists "${1#pc:}" 2>/dev/null ;;
    py:*) [[ $python_there == *" ${1#py:} "* ]] ;;
    file:*) compgen -G "${1#file:}" >/dev/null ;;
  esac
}

missing=()
purposes=
while IFS='|' read -r package groups probe purpose _; do
  wanted "$groups" "$@" || continue
  there "$probe" && continue
  missing+=("$package")
  purposes+=$(printf '  %-24s %s' "$package" "$purpose")$'\n'
done < <(rows)
[ ${#missing[@]} -gt 0 ] || exit 0

printf 'Missing packages (%s):\n%s' "$*" "$purposes" >&2
by_hand="apt-get install --no-install-recommends ${missing[*]}"
if [ $check = 1 ]; then
  echo "To install it: cmake/deps.sh $*    (or: $by_hand)" >&2
  exit 1
fi
if ! command -v apt-get >/dev/null; then
  echo "apt-get is not available. Install these packages with your system's package manager (the names are Debian's), then try again." >&2
  exit 1
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null || { [ ! -t 0 ] && ! sudo -n true 2>/dev/null; }; then
    echo "Installing needs root, and sudo is not installed. Run this as root, then try again:" >&2
    echo "  $by_hand" >&2
    exit 1
  fi
  as_root=(sudo)
fi

mkdir -p build
log=$PWD/build/deps.log
: >"$log"
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
    apt-get -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=180 "$@"
}
# apt's own lines go to the log; of its hundreds of packages a line is shown now and then.
progress() {
  awk -v log_file="$log" '
    { print >>log_file; fflush(log_file) }
    /newly installed/ { match($0, /[0-9]+ newly/); total = substr($0, RSTART, RLENGTH) + 0
                        printf "  %d packages with their dependencies\n", total; fflush() }
    /^Unpacking / { if (++unpacked % 40 == 0) { printf "  unpacked %d of %d\n", unpacked, total; fflush() } }
    /^Setting up / { if (++ready % 40 == 0) { printf "  set up %d of %d\n", ready, total; fflush() } }'
}
# Goes on after a failure: what is on the lists may be enough, and the install says what is not.
update() {
  echo "Reading the package lists (apt-get update)"
  apt update 2>&1 | progress || echo "apt-get update failed; trying with the lists there are"
}

# Where no init system runs (a container, a chroot), a package must not start its service.
policy=/usr/sbin/policy-rc.d
policy_is_ours=0
without_services() {
  if [ ! -d /run/systemd/system ] && [ ! -e $policy ]; then
    printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee $policy >/dev/null
    "${as_root[@]}" chmod 755 $policy
    policy_is_ours=1
  fi
}
finish() {
  [ $policy_is_ours = 0 ] || "${as_root[@]}" rm -f $policy
}
trap finish EXIT

started=$SECONDS
# Empty package lists know none of the names; stale ones show when the install fails.
apt-cache show "${missing[@]}" >/dev/null 2>&1 || update
without_services
echo "Installing ${#missing[@]} packages (apt-get, ${as_root[0]:-as root}); log: build/deps.log"
if ! apt install --no-install-recommends "${missing[@]}" 2>&1 | progress; then
  echo "That failed. Trying again with new package lists."
  sleep 3
  update
  if ! apt install --no-install-recommends "${missing[@]}" 2>&1 | progress; then
    tail -n 20 "$log" >&2
    echo "apt-get could not install them; its whole output is in build/deps.log. To try by hand: $by_hand" >&2
    exit 1
  fi
fi
echo "Installed in $((SECONDS - started)) s"
