#!/usr/bin/env bash
# Gradescope runs this once, when the assignment's container is built: the kit in an environment of its own,
# beside Otter's, so that neither changes the other's versions.
set -e
source="${AUTOGRADER_ROOT:-/autograder}/source"
bash "$source/setup_kit.sh"
bash "$source/setup_otter.sh"
