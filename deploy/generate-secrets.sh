#!/bin/sh
# Prints every secret that docker-compose.yml needs, freshly made: `deploy/generate-secrets.sh > .env`, once, and keep that file safe.
# Whoever loses KEYS_ENCRYPTION_KEY loses all signing keys and API keys.
set -eu
umask 077
for name in POSTGRES_PASSWORD IDENTITY_DATABASE_PASSWORD TENANCY_DATABASE_PASSWORD RBAC_DATABASE_PASSWORD KEYS_DATABASE_PASSWORD \
  REDIS_PASSWORD NATS_PASSWORD INTERNAL_AUTH_SECRET; do
  printf '%s=%s\n' "$name" "$(openssl rand -hex 32)"
done
printf 'KEYS_ENCRYPTION_KEY=%s\n' "$(openssl rand -base64 32)"
# What runs in compose beside the services: docs/operating.md says how to do without one of them.
printf 'COMPOSE_PROFILES=postgres,redis,nats\n'
