#!/bin/sh
# Runs scstory with the arguments given. With SCSTORY_RUNNER=ray, a command that decides articles
# first starts a Ray cluster in this container, which others join (scstory cluster join HOST:6379).
set -eu

case "${SCSTORY_RUNNER:-local} ${1:-}" in
"ray serve" | "ray run")
    if [ "${SCSTORY_RAY_ADDRESS:-auto}" = auto ]; then
        scstory cluster start --host "$(hostname -i | cut -d' ' -f1)" &
        head=$!
        until scstory cluster status >/dev/null 2>&1; do
            kill -0 "$head" || exit 1
            sleep 1
        done
    fi
    ;;
esac
exec scstory "$@"
