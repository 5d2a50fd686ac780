#!/bin/sh
# Creates the namespace and the search attributes Gatehouse uses. Safe to run again.
# `temporal` reads the server from TEMPORAL_ADDRESS and the namespace from TEMPORAL_NAMESPACE.
set -eu

retention=30d

# retry <what> <command...>: the server accepts connections before it can answer, and it
# reads new namespaces and search attributes from a cache.
retry() {
  what=$1
  shift
  attempt=1
  until answer=$("$@" 2>&1); do
    if [ "$attempt" -ge 60 ]; then
      echo "Gave up on $what: $answer" >&2
      exit 1
    fi
    attempt=$((attempt + 1))
    sleep 2
  done
  echo "Done: $what"
}

namespace() {
  # "create" takes the name from its flag only, never from the environment.
  if temporal operator namespace describe -n "$TEMPORAL_NAMESPACE" >/dev/null 2>&1; then
    temporal operator namespace update -n "$TEMPORAL_NAMESPACE" --retention "$retention"
  else
    temporal operator namespace create -n "$TEMPORAL_NAMESPACE" --retention "$retention"
  fi
}

search_attributes() {
  temporal operator search-attribute create \
    --name GatehouseProduct --type Keyword \
    --name GatehousePerson --type Keyword \
    --name GatehouseEndpoint --type Keyword \
    --name GatehouseEvent --type Keyword \
    --name GatehouseStatus --type Keyword \
    --name GatehouseAttempt --type Int \
    --name GatehouseDueAt --type Datetime
}

retry 'waiting for the server' temporal operator cluster health
retry 'the namespace' namespace
retry 'the search attributes' search_attributes
retry 'a search by them' temporal workflow count \
  --query 'GatehouseProduct = "none" AND GatehousePerson = "none" AND GatehouseEndpoint = "none" AND GatehouseEvent = "none" AND GatehouseStatus = "none" AND GatehouseAttempt = 0 AND GatehouseDueAt IS NULL'
