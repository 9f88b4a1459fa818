#!/usr/bin/env bash
# Gradescope runs this once, as root, when the assignment's container is built.
set -euo pipefail
trap 'echo "error: the container could not be set up, and the lines above say why; fix that, or if a" \
  "package server did not respond, build the autograder again" >&2' ERR
root="${AUTOGRADER_ROOT:-/autograder}"
source="$root/source"

if command -v apt-get >/dev/null; then
  apt-get update -qq -o Acquire::Retries=3
  # bubblewrap and libseccomp are the sandbox for student code; tzdata knows the time zones of a policy.
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y -qq -o Acquire::Retries=3 bubblewrap libseccomp2 python3 python3-venv tzdata
fi

# A pre-release of Python has no builds of the libraries, and its own bugs.
is_good() {
  "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11) or sys.version_info[3] != "final")' 2>/dev/null
}
python=""
for name in python3 python3.13 python3.12 python3.11; do
  if [ -z "$python" ] && is_good "$name"; then python="$name"; fi
done
if [ -z "$python" ] && apt-get install -y -qq python3.11 python3.11-venv && is_good python3.11; then
  python=python3.11
fi
if [ -z "$python" ]; then
  image="$(. /etc/os-release 2>/dev/null && echo "$PRETTY_NAME" || echo "this base image")"
  echo "error: $image has no released Python 3.11 or newer (its python3: $(python3 --version 2>&1))." >&2
  echo "On Gradescope, open Configure Autograder, choose Ubuntu 24.04 or newer as the base image, and" \
    "press Update Autograder." >&2
  exit 1
fi

"$python" -m venv "$root/venv"
"$root/venv/bin/python" -m pip install --quiet --no-cache-dir {{ torch_index }}\
  --constraint "$source/constraints.txt" --requirement "$source/requirements.txt"

# Hide everything but the kit from submissions, as the layers of protection do.
find "$source" -mindepth 1 -maxdepth 1 ! -name autograder -exec chmod -R go= {} +
cd "$source"
export PYTHONPATH="$source"
"$root/venv/bin/python" -P -m compileall -q autograder  # once, not for each submission
"$root/venv/bin/python" -P -m autograder doctor
