#!/usr/bin/env bash
# Builds a dataset in slices, one after the other, until nothing is missing. Each line of the inner loop could as well run
# on another machine (ssh host …): all that slices share is the folder WORK, and the same source files.
#
#   DATASET=rad-cads DATA=data WORK=/shared/work OUT=out SLICES=4 bash loop.sh [--seed 1 …]
set -euo pipefail
: "${DATASET:?}" "${DATA:?}" "${WORK:?}" "${OUT:?}" "${SLICES:=4}" "${DIPTYCH:=diptych}"

for round in $(seq 20); do  # a dataset has at most a few steps: one round for each
    for slice in $(seq "$SLICES"); do
        $DIPTYCH build "$DATASET" --data "$DATA" --work "$WORK" --shards "$slice/$SLICES" "$@" &
    done
    wait
    if $DIPTYCH build "$DATASET" --data "$DATA" --work "$WORK" --out "$OUT" --finish "$@"; then
        exit 0
    elif [ $? -ne 1 ]; then
        exit 2  # not a missing shard: bad input
    fi
done
echo "not finished after $round rounds" >&2
exit 1
