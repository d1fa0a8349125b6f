import {
  type GraphQLObjectType,
  isInterfaceType,
  isObjectType,
  parse,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import {
  collectionChanges,
  platformChanges,
  preferenceChanges,
  transactionChanges,
} from '../../bench/query-cost/changes.ts';
import { platformQueries, queries } from '../../bench/query-cost/queries.ts';
import { routes } from '../../bench/query-cost/routes.ts';
import { SCHEMA } from '../../bench/query-cost/selections.ts';

const idsOf = (count: number) => Array.from({ length: count }, (_, i) => `id_${i}`);
const PLACE = {
  ...{ collectionId: 'id', collectionCount: 2, importPreviewId: 'id' },
  ...{ variantIds: idsOf(2000), productIds: idsOf(200), transactionIds: idsOf(9), summaryIds: idsOf(5) },
};
const CHANGED = {
  ask: () => Promise.reject(new Error('not asked')),
  ...{ collectionId: 'id', otherId: 'id', variantIds: PLACE.variantIds },
};

/** What test/bench/query-cost.ts measures. */
const PLAYED: { name: string; text: string }[] = [
  ...queries(PLACE),
  ...platformQueries({ accountIds: idsOf(3), webhookId: 'id' }),
  ...[...routes(PLACE, 10, 'id')].flatMap(({ name, graphql }) => (graphql ? [{ name, ...graphql }] : [])),
  ...transactionChanges(CHANGED),
  ...preferenceChanges([{}]),
  ...collectionChanges(CHANGED),
  ...platformChanges(CHANGED.ask),
];

/** Of errors; of events, each of which is executed as an operation of the same fields; and what is an item of `nodes` as well. */
const NOT_PLAYED = /^(Subscription|CollectionChange|ImportProgress|Breach)\.|Edge\.node$/;

describe('what the cost of queries is measured by', () => {
  const documents = PLAYED.map(({ name, text }) => ({ name, document: parse(text, { maxTokens: 2000 }) }));

  it('is valid', () => {
    const wrong = documents.flatMap(({ name, document }) =>
      validate(SCHEMA, document).map(({ message }) => `${name}: ${message}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has every field of the schema', () => {
    const played = new Set<string>();
    for (const { document } of documents) {
      const types = new TypeInfo(SCHEMA);
      visit(
        document,
        visitWithTypeInfo(types, {
          Field: () => {
            for (const { name } of typesOf(types.getParentType()!))
              played.add(`${name}.${types.getFieldDef()!.name}`);
          },
        }),
      );
    }
    const fields = Object.values(SCHEMA.getTypeMap()).flatMap((type) =>
      isObjectType(type) && !type.name.startsWith('__') && !isError(type)
        ? Object.keys(type.getFields()).map((field) => `${type.name}.${field}`)
        : [],
    );
    expect(fields.filter((field) => !played.has(field) && !NOT_PLAYED.test(field))).toEqual([]);
  });
});

function isError(type: GraphQLObjectType): boolean {
  return type.getInterfaces().some(({ name }) => name === 'Error');
}

/** Those that what is selected may be of. */
function typesOf(type: ReturnType<TypeInfo['getParentType']>) {
  return isInterfaceType(type) ? SCHEMA.getPossibleTypes(type) : type ? [type] : [];
}
