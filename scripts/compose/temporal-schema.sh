#!/bin/sh
# Creates Temporal's two databases and brings their schemas up to date. Safe to run again.
# The connection comes from SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD.
set -eu

prepare() {
  temporal-sql-tool --database "$1" create-database --defaultdb postgres
  temporal-sql-tool --database "$1" setup-schema -v 0.0
  temporal-sql-tool --database "$1" update-schema --schema-name "postgresql/v12/$2"
}

prepare temporal temporal
prepare temporal_visibility visibility
