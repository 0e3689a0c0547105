#!/usr/bin/env bash
# Builds a dataset on a Slurm cluster: an array of slices for every step, each array after the one before it, then one job
# that assembles. WORK is a folder that all nodes see, or any fsspec location (s3://…).
#
#   DATASET=bqd DATA=/shared/data WORK=/shared/work OUT=/shared/bqd SLICES=64 ROUNDS=4 bash slurm.sh [--config gbqd …]
#
# A round that finds nothing to do ends within seconds, so ROUNDS may be too large; where it was too small, or a node
# died, `--finish` says which shards are missing: run the script again, and only those are made.
set -euo pipefail
: "${DATASET:?}" "${DATA:?}" "${WORK:?}" "${OUT:?}" "${SLICES:=16}" "${ROUNDS:=4}" "${DIPTYCH:=diptych}"

slice="$DIPTYCH build $DATASET --data $DATA --work $WORK --shards \${SLURM_ARRAY_TASK_ID}/$SLICES $*"
previous=()
for round in $(seq "$ROUNDS"); do
    # afterany: a slice that died is made up for in the next round.
    job=$(sbatch --parsable --job-name "diptych-$round" --array "1-$SLICES" "${previous[@]}" --wrap "$slice")
    previous=(--dependency "afterany:$job")
done
sbatch --job-name diptych-finish "${previous[@]}" \
    --wrap "$DIPTYCH build $DATASET --data $DATA --work $WORK --out $OUT --finish $*"
