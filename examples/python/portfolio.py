"""Prints what each collection is worth, and what it holds. Python 3.9 or later, without a package."""

import base64
import json
import os
import sys
import time
import urllib.error
import urllib.request

BASE = os.environ.get("CARDLEDGER", "http://127.0.0.1:4000")
CREDENTIALS = os.environ.get("CREDENTIALS", "../../data/demo-client.json")
ATTEMPTS = 5

COLLECTIONS = """
query ($after: String) {
  collections(first: 20, after: $after, sort: ALPHABETICAL) {
    nodes { id name marketValue { decimal currency } }
    pageInfo { hasNextPage endCursor }
  }
}"""

HOLDINGS = """
query ($id: ID!, $after: String) {
  collection(id: $id) {
    transactionSummaries(first: 2, after: $after) {
      nodes { quantity variant { variantName product { name } } }
      pageInfo { hasNextPage endCursor }
    }
  }
}"""


def send(request):
    """The JSON of an answer. Waits where the service is busy; only what may be repeated is sent by this."""
    for attempt in range(ATTEMPTS):
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503) or attempt == ATTEMPTS - 1:
                sys.exit(f"HTTP {error.code}: {error.read().decode()}")
            time.sleep(int(error.headers.get("Retry-After", 2**attempt)))


def get_token():
    with open(CREDENTIALS, encoding="utf-8") as file:
        client = json.load(file)
    basic = base64.b64encode(f"{client['clientId']}:{client['clientSecret']}".encode()).decode()
    return send(
        urllib.request.Request(
            f"{BASE}/oauth2/token",
            data=b"grant_type=client_credentials&scope=default",
            headers={"Authorization": f"Basic {basic}"},
        )
    )["access_token"]


def query(document, **variables):
    body = json.dumps({"query": document, "variables": variables}).encode()
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    answer = send(urllib.request.Request(f"{BASE}/graphql", data=body, headers=headers))
    if "errors" in answer:
        sys.exit(answer["errors"][0]["message"])
    return answer["data"]


def nodes(document, find, **variables):
    """Each item of a list, page by page."""
    after = None
    while True:
        page = find(query(document, after=after, **variables))
        yield from page["nodes"]
        if not page["pageInfo"]["hasNextPage"]:
            return
        after = page["pageInfo"]["endCursor"]


TOKEN = get_token()
for collection in nodes(COLLECTIONS, lambda data: data["collections"]):
    value = collection["marketValue"]
    print(f"{collection['name']}: {value['decimal']} {value['currency']}")
    for held in nodes(HOLDINGS, lambda data: data["collection"]["transactionSummaries"], id=collection["id"]):
        print(f"  {held['quantity']} {held['variant']['product']['name']}, {held['variant']['variantName']}")
