#!/usr/bin/env bash
# Gradescope runs this once, when the assignment's container is built: the kit in a separate environment,
# so that neither Otter nor the kit changes the other's versions.
set -e
source="${AUTOGRADER_ROOT:-/autograder}/source"
bash "$source/setup_kit.sh"
bash "$source/setup_otter.sh"
