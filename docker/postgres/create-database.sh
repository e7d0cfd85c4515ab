#!/bin/sh
# Runs on the first start and creates everything that needs a superuser: the owner of the database, who migrates it; the
# daemon's login, which can run daemons and operate them but cannot change the schema; that of the HTTP API, which acts for people; the roles that migrations would
# create if they were allowed to; and pgvector.
set -eu
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname=postgres <<'SQL'
\getenv owner_password ANIMUS_OWNER_PASSWORD
\getenv password ANIMUS_PASSWORD
create role animus_submitter nologin;
create role animus_reader nologin;
create role animus_operator nologin;
create role animus_daemon nologin;
create role animus_gateway nologin;
create role animus_owner login password :'owner_password';
create role animus login password :'password' in role animus_daemon, animus_operator;
create database animus owner animus_owner;
revoke temporary on database animus from public;
\connect animus
create extension vector;
SQL
animus-api-login
