#!/bin/sh
# Runs the steps of deploy/Dockerfile without a container engine, in an empty folder, and then what the image is for: the migration
# job and the five services, from that folder alone, as an account without rights.
exec node "$(dirname "$0")/../tools/run.mjs" tools/verify-image/main.ts "$@"
