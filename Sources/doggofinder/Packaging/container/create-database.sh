#!/bin/sh
# Creates the database when the volume of compose-postgis.yaml is empty.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$POSTGRES_PASSWORD" --username postgres --dbname postgres << 'SQL'
CREATE ROLE dogs LOGIN PASSWORD :'password';
CREATE DATABASE doggofinder OWNER dogs TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C';
\c doggofinder
CREATE EXTENSION postgis;
CREATE EXTENSION citext;
SQL
