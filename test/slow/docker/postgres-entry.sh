#!/bin/sh
# Makes the user and the database on an empty volume, as the image of PostgreSQL does, and serves.
set -e
cd /usr/lib/postgresql/*/bin
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  printf %s "$POSTGRES_PASSWORD" >/tmp/password
  ./initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --encoding=UTF8 --auth-local=trust --auth-host=scram-sha-256
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  ./pg_ctl start --wait --options='-c listen_addresses='
  ./createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
  ./pg_ctl stop --wait
fi
exec ./postgres -c 'listen_addresses=*'
