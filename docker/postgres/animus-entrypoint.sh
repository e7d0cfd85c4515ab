#!/bin/sh
# Only the first start, which creates the database, needs the passwords. Later starts do not have them in their environment.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  POSTGRES_PASSWORD=$(cat /run/secrets/postgres_password)
  ANIMUS_OWNER_PASSWORD=$(cat /run/secrets/animus_owner_password)
  ANIMUS_PASSWORD=$(cat /run/secrets/animus_password)
  ANIMUS_API_PASSWORD=$(cat /run/secrets/animus_api_password)
  export POSTGRES_PASSWORD ANIMUS_OWNER_PASSWORD ANIMUS_PASSWORD ANIMUS_API_PASSWORD
fi
exec docker-entrypoint.sh "$@"
