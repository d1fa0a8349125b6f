import { getOperationAST, parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { compile } from '../../../src/graphql/compiled/compile.ts';
import { Kept } from '../../../src/graphql/compiled/kept.ts';
import { createSchema } from '../../../src/graphql/schema.ts';

const schema = createSchema();

function isOfCatalogue(text: string): boolean {
  const document = parse(text);
  expect(validate(schema, document)).toEqual([]);
  return compile(schema, document, getOperationAST(document)!, {}, new Kept())!.isOfCatalogue;
}

const BREAKDOWN = `{ warning product { name variants { marketPrice { value } } } distribution { p5 { value } samples }
  categories { category contributedValue { decimal } } currentEstimatedValue { value } }`;
const EV = `{ id setType evRatio marketPriceDelta { currency value } breakdown ${BREAKDOWN} }`;

it.each([
  '{ __typename }',
  '{ product(id: "prd_1") { name variants { id marketPrice { value } saleVolumes } } }',
  'query ($id: ID!) { variant(id: $id) { product { name } } }',
  `{ productEvs { totalCount pageInfo { endCursor hasNextPage } edges { cursor node ${EV} } nodes ${EV} } }`,
  'query ($n: Int, $type: ProductType) { productEvs(first: $n, productType: $type) { nodes { id } } }',
  `{ evBreakdown(setType: "Out", productType: BOX) ${BREAKDOWN} }`,
])('follows from the catalogue and preferences: %s', (text) => {
  expect(isOfCatalogue(text)).toBe(true);
});

it.each([
  '{ viewer { name } }',
  '{ node(id: "pev_Out_Box") { id } }',
  '{ collections { totalCount pageInfo { endCursor } } }',
  '{ products(query: "dash") { nodes { name } } }',
  '{ product(id: "prd_1") { name } viewer { name } }',
  '{ productEvs { nodes { history(from: "2026-04-01", to: "2026-04-14") { date } } } }',
  'query ($from: String!) { productEvs { nodes { history(from: $from, to: "2026-04-14") { date } } } }',
  'mutation { createCollection(input: { name: "x" }) { __typename } }',
])('follows from more than that: %s', (text) => {
  expect(isOfCatalogue(text)).toBe(false);
});
