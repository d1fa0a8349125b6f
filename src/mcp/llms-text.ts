/** What a service is and where its parts are, as Markdown of the form of llmstxt.org. */
export function llmsText(publicUrl: string): string {
  return `# cardledger

> Collections of trading cards (Flesh and Blood): purchases and sales, what is held, what it cost and what it is worth; expected values of sealed products. GraphQL, REST and the Model Context Protocol over one model.

All but this page and the documents need an access token: OAuth 2.0 client credentials at ${publicUrl}/oauth2/token, sent as \`Authorization: Bearer\`. It is good for an hour; use it again until then. Amounts are exact decimals with their currency, days are YYYY-MM-DD in UTC, ids are opaque.

## Interfaces

- [Model Context Protocol](${publicUrl}/mcp): tools to search, look up, value and record, over streamable HTTP without sessions
- [GraphQL](${publicUrl}/graphql): one endpoint, with introspection
- [REST](${publicUrl}/openapi.json): the OpenAPI 3.1 document of all routes

## Documents

- [REST, to read](${publicUrl}/docs): the routes with examples
- [Problems](${publicUrl}/problems/ValidationFailed): each problem has a page at /problems/ and its name
- [How to get a token](${publicUrl}/.well-known/oauth-authorization-server): for programs (RFC 8414)
`;
}
