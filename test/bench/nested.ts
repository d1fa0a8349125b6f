/** An amount, in text of GraphQL. */
export const MONEY = '{ decimal }';

/** The first screen of an app: ten collections with their ten most valuable cards. */
export const NESTED = `{ collections(first: 10) { nodes { id name marketValue ${MONEY} transactionSummaries(first: 10, sort: MARKET_VALUE) {
  nodes { quantity marketValue ${MONEY} variant { id product { name } } } } } } }`;
