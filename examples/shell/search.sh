#!/bin/sh
# Prints all products that a search finds, page by page: sh search.sh 'set:arc rarity:legendary'
# Needs curl and jq.
set -eu
base=${CARDLEDGER:-http://127.0.0.1:4000}
credentials=${CREDENTIALS:-../../data/demo-client.json}
query=${1:?'What shall be searched for?'}

# The secret goes by standard input, where a list of processes does not show it.
token=$(jq -r '"user = \"\(.clientId):\(.clientSecret)\""' "$credentials" |
  curl -sSf --config - "$base/oauth2/token" -d grant_type=client_credentials -d scope=default |
  jq -r .access_token)

cursor=0
while [ "$cursor" != null ]; do
  # curl waits as Retry-After says, and asks again where the service is busy.
  page=$(echo "header = \"Authorization: Bearer $token\"" |
    curl -sS --fail-with-body --retry 4 --config - -G "$base/product/search" \
      --data-urlencode "q=$query" -d "cursor=$cursor" -d "pageSize=${PAGE_SIZE:-100}") || {
    echo "$page" | jq -r .detail >&2
    exit 1
  }
  echo "$page" | jq -r '.results[] | [.number, .name] | @tsv'
  cursor=$(echo "$page" | jq .nextCursor)
done
