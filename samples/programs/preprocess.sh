#!/usr/bin/env bash
# Decodes and resizes a data set once, with several processes of this machine that take a part each; all training that follows
# reads the result. After an interruption, repeat it; it continues where it was.
#
#   samples/programs/preprocess.sh 2 --source images:DIR --resize 224 --to tar:SHARDS      (or disk:CACHE, or redis:URI)
#
#   PENSTOCK  the program to run; the one of this project by default
set -u

if [ $# -lt 2 ] || ! [[ $1 =~ ^[1-9][0-9]{0,2}$ ]]; then
    echo "usage: $0 PROCESSES --source SOURCE --to TARGET [flags of materialize]" >&2
    exit 2
fi
world=$1
shift
penstock=${PENSTOCK:-$(dirname "$0")/../../penstock}
told=$(mktemp -d "${TMPDIR:-/tmp}/penstock-preprocess-XXXXXX") || exit 1
trap 'rm -rf "$told"' EXIT

ranks=()
interrupted=
trap 'interrupted=130; kill "${ranks[@]}" 2>/dev/null' INT
trap 'interrupted=143; kill "${ranks[@]}" 2>/dev/null' TERM
for ((rank = 0; rank < world; rank++)); do
    "$penstock" materialize "$@" --json --progress-events --rank "$rank" --world "$world" \
        >"$told/$rank.out" 2>"$told/$rank.err" &
    ranks+=($!)
done

# Adds up what each rank told last: {"event":"progress","done":120,"samples":500}, at the end {"event":"materialized",…,"samples":500,…}.
show() {
    for ((rank = 0; rank < world; rank++)); do tail -n 1 "$told/$rank.out"; done | awk -v world="$world" '
        function number(name) { return match($0, "\"" name "\":[0-9]+") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) : 0 }
        { all += number("samples") }
        /"event":"progress"/ { done += number("done") }
        /"event":"materialized"/ { ended++; done += number("samples") }
        END { if (all > 0) printf "%d of %d samples, %d of %d processes have ended\n", done, all, ended, world }'
}

running() {
    for pid in "${ranks[@]}"; do kill -0 "$pid" 2>/dev/null && return 0; done
    return 1
}

before=
alive=yes
while [ $alive = yes ]; do
    sleep 1 & # a signal ends the waiting for it at once
    wait $!
    running || alive=no
    now=$(show)
    if [ "$now" != "$before" ]; then echo "$now" >&2; fi
    before=$now
done

status=0
for ((rank = 0; rank < world; rank++)); do
    wait "${ranks[rank]}" || status=$?
    sed "s/^/rank $rank: /" "$told/$rank.err" >&2
    grep '"event":"materialized"' "$told/$rank.out"
done
exit "${interrupted:-$status}"
