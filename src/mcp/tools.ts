import {
  coerceInputValue,
  type GraphQLEnumType,
  type GraphQLInputField,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isNonNullType,
  parse,
} from 'graphql';
import { dateOf } from '../domain/dates.ts';
import { didYouMean } from '../domain/did-you-mean.ts';
import { type Breach, DomainError, validationFailed } from '../domain/errors.ts';
import { type CreateTransactionInput, transactionRules } from '../domain/inputs.ts';
import { breachesOf } from '../domain/parse-input.ts';
import { totalOf } from '../domain/transactions.ts';
import { readTasks } from '../graphql/examples.ts';
import type { Context } from '../services/context.ts';
import { CONFIRMATION_MINUTES, type Codes, keyOfConfirmation, newConfirmation } from './confirmation.ts';
import { type JsonSchema, type ObjectSchema, schemaOfFields, schemaOfVariables } from './json-schema.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** Runs an operation of GraphQL for the caller, and gives its `data`. Throws a ToolError with what `errors` say. */
export type Ask = (query: string, variables: Arguments) => Promise<Record<string, unknown>>;

/** What an assistant may call. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: ObjectSchema;
  /** Whether it changes anything. */
  writes: boolean;
  /** Whether what it tells follows from prices. */
  hasPrices?: boolean;
  call(args: Arguments, ask: Ask, context: Context): Promise<unknown>;
}

/** Why a call gives nothing; the assistant is told the message. */
export class ToolError extends Error {}

/** Tools that are an operation of `pages/examples/`, with values for what need not be said. */
const READING: readonly (Pick<Tool, 'name' | 'title' | 'description' | 'hasPrices'> & {
  operation: string;
  defaults?: JsonSchema;
})[] = [
  {
    name: 'search_cards',
    title: 'Search cards',
    description:
      'Finds cards and sealed products by name, card number or filters such as `class:ninja rarity:majestic price<5`, at most 8, best first. Gives their product ids, and the ids and market prices of their variants (finishes and editions).',
    hasPrices: true,
    operation: 'FindCards',
  },
  {
    name: 'look_up_card',
    title: 'Look up a card',
    description:
      'Tells everything about a product by its id: text, class, rarity, and for each variant its market price and the sales of each of the last 30 days, the newest last.',
    hasPrices: true,
    operation: 'Card',
  },
  {
    name: 'list_collections',
    title: 'List collections',
    description: "Lists the account's collections by name, with their ids and how many cards they hold.",
    operation: 'MyCollections',
  },
  {
    name: 'dashboard',
    title: 'Dashboard',
    description:
      "Tells what the account's valued collections are worth together, what was invested, the gain and the realised profit, in its preferred currency.",
    hasPrices: true,
    operation: 'Dashboard',
  },
  {
    name: 'list_holdings',
    title: 'List holdings',
    description:
      'Lists what a collection holds of each variant: quantity, cost, market value, gain. 20 where neither `first` nor `last` is given; while `hasNextPage`, go on with `after` set to `endCursor`, and from the end while `hasPreviousPage` with `before` set to `startCursor`. `search` takes the language of search_cards, with `quantity` too.',
    hasPrices: true,
    operation: 'Holdings',
    defaults: { sort: 'MARKET_VALUE', reverse: false, first: 20 },
  },
  {
    name: 'value_history',
    title: 'Value history',
    description:
      'Tells what collections were worth at the end of days, weeks or months, and what that had cost; at most 400 points each.',
    hasPrices: true,
    operation: 'CollectionHistory',
    defaults: { interval: 'MONTH' },
  },
  {
    name: 'expected_values',
    title: 'Expected values of sealed products',
    description:
      'Tells what the cards of sealed products (packs, boxes, cases) are worth on average, next to what the product costs. 10 where `first` is left out; while `hasNextPage`, go on with `after` set to `endCursor`. Read each `warning`.',
    hasPrices: true,
    operation: 'Sealed',
    defaults: { sort: 'HIGHEST_ESTIMATED_VALUE', first: 10 },
  },
  {
    name: 'expected_value_breakdown',
    title: 'What an expected value is made of',
    description:
      'Tells what the expected value of one sealed product is made of, and how what a product returns is spread. `setType` is one that expected_values gives.',
    hasPrices: true,
    operation: 'Breakdown',
  },
];

/** The tools, made from the operations that the documents and GraphiQL show. */
export async function createTools(schema: GraphQLSchema, codes: Codes): Promise<Tool[]> {
  const examples = (await readTasks()).flatMap((task) => task.examples);
  const documentOf = (operation: string) =>
    examples.find((example) => example.operation === operation)!.query;
  const reading = READING.map(({ operation, defaults = {}, ...tool }): Tool => {
    const query = documentOf(operation);
    const all = schemaOfVariables(schema, parse(query));
    const required = all.required.filter((name) => !(name in defaults));
    return {
      ...tool,
      inputSchema: { ...all, properties: withDefaults(all.properties, defaults), required },
      writes: false,
      call: async (args, ask) => found(await ask(query, withRest(defaults, args))),
    };
  });
  const documents = { lookUp: documentOf('BeforeRecording'), record: documentOf('Record') };
  return [...reading, ...recordingTools(schema, documents, codes)];
}

/** A page from the end has no default beside its own size. */
function withRest(defaults: Arguments, args: Arguments): Arguments {
  const { first, ...others } = defaults;
  return { ...(args.last == null && first !== undefined && { first }), ...others, ...args };
}

function withDefaults(
  properties: ObjectSchema['properties'],
  defaults: JsonSchema,
): ObjectSchema['properties'] {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      defaults[name] === undefined ? schema : { ...schema, default: defaults[name] },
    ]),
  );
}

function recordingTools(
  schema: GraphQLSchema,
  { lookUp, record }: { lookUp: string; record: string },
  codes: Codes,
): Tool[] {
  const input = schema.getType('CreateTransactionInput');
  if (!isInputObjectType(input)) throw new Error('The schema has no CreateTransactionInput.');
  const { idempotencyKey: _, ...fields } = input.getFields();
  const transaction = schemaOfFields(Object.values(fields));
  return [
    {
      name: 'preview_transaction',
      title: 'Preview a purchase or a sale',
      description: `Tells what record_transaction would record, and writes nothing. Show it to the user; where the user agrees, call record_transaction with the same values and the \`confirmation\`, within ${CONFIRMATION_MINUTES} minutes.`,
      inputSchema: transaction,
      writes: false,
      async call(given, ask, { now, caller }) {
        const entry = transactionOf(given, Object.values(fields), dateOf(now()));
        const { collectionId, variantId, ...shown } = given;
        const { collection, variant } = found(await ask(lookUp, { collectionId, variantId }));
        const warning = oversoldWarning(given, collection as Held);
        const total = { currency: entry.unitAmount.currency, decimal: totalOf(entry) };
        return {
          wouldRecord: { collection, variant, ...shown, total },
          ...(warning && { warning }),
          confirmation: await newConfirmation({ accountId: caller.accountId, input: given }, codes, now()),
        };
      },
    },
    {
      name: 'record_transaction',
      title: 'Record a purchase or a sale',
      description:
        'Records what preview_transaction has shown and the user has agreed to. Called again with the same confirmation it gives the same answer and records nothing more.',
      inputSchema: {
        ...transaction,
        properties: {
          ...transaction.properties,
          confirmation: { type: 'string', description: 'What preview_transaction gave for these values.' },
        },
        required: [...transaction.required, 'confirmation'],
      },
      writes: true,
      async call({ confirmation, ...given }, ask, { now, caller }) {
        const confirmed = { accountId: caller.accountId, input: given };
        const idempotencyKey = await keyOfConfirmation(String(confirmation), confirmed, codes, now());
        const { createTransaction } = await ask(record, { input: { ...given, idempotencyKey } });
        const { __typename, message, ...answer } = createTransaction as Record<string, unknown>;
        if (message !== undefined) throw new ToolError(`${__typename}: ${message}`);
        return answer;
      },
    },
  ];
}

/** A collection with what it holds of the variant. */
interface Held {
  transactionSummary: { quantity: number } | null;
}

/** Of a sale of more cards than are held, which is recorded all the same: its purchase may follow. */
function oversoldWarning({ action, quantity }: Arguments, { transactionSummary }: Held): string | null {
  const held = Math.max(0, transactionSummary?.quantity ?? 0);
  if (action !== 'SALE' || Number(quantity) <= held) return null;
  return `This sells ${quantity}, and ${held} are held: the cards beyond that have no cost until their purchase is recorded. Tell the user.`;
}

/** As the mutation would read it: by the schema, then by the rules. Throws `ValidationFailed` with every breach. */
function transactionOf(
  given: Arguments,
  fields: readonly GraphQLInputField[],
  today: string,
): CreateTransactionInput {
  const breaches: Breach[] = [];
  const values: Record<string, unknown> = {};
  for (const { name, type } of fields) {
    if (given[name] == null) {
      if (isNonNullType(type)) breaches.push({ path: [name], detail: 'is required' });
      continue;
    }
    try {
      values[name] = coerceInputValue(given[name], type, (path, value, { message }) => {
        const named = getNamedType(type);
        const detail = isEnumType(named) ? mustBeOneOf(named, value) : message.replace(/\.$/, '');
        // The first of a field is enough: there may be as many as a body has values.
        throw validationFailed([{ path: [name, ...path], detail }]);
      });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      breaches.push(...error.details.breaches!);
    }
  }
  // It is the mutation's alone: in REST it is in the path.
  const { collectionId: _, ...entry } = values;
  const parsed = transactionRules(today).create.safeParse(entry);
  const named = new Set(breaches.map(({ path }) => path[0]));
  if (!parsed.success)
    breaches.push(...breachesOf(parsed.error, entry).filter(({ path }) => !named.has(path[0])));
  if (breaches.length > 0 || !parsed.success) throw validationFailed(breaches);
  return parsed.data;
}

function mustBeOneOf(type: GraphQLEnumType, given: unknown): string {
  const names = type.getValues().map(({ name }) => name);
  return `must be one of ${names.join(', ')}${didYouMean(String(given), names)}`;
}

/** What a field of an operation gives, where the field has another name. */
const NOUNS: Record<string, string> = { nodes: 'collection', evBreakdown: 'sealed product' };

/** Refuses data of which a part is missing: an id was of nothing that the caller may see, or of something else. */
function found(data: Record<string, unknown>): Record<string, unknown> {
  const missing = Object.keys(data).filter((name) => [data[name]].flat().some(isMissing));
  if (missing.length === 0) return data;
  const nouns = missing.map((name) => NOUNS[name] ?? name);
  throw new ToolError(`NotFound: The ${nouns.join(' and the ')} does not exist.`);
}

/** An object without fields is of a type that the operation does not ask about. */
function isMissing(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value!).length === 0);
}

/** Throws `ValidationFailed` for names that the tool does not have. */
export function assertKnownArguments({ inputSchema }: Tool, args: Arguments): void {
  const known = Object.keys(inputSchema.properties);
  const others = Object.keys(args).filter((name) => !known.includes(name));
  if (others.length > 0)
    throw validationFailed(
      others.map((name) => ({ path: [name], detail: `is not a known field${didYouMean(name, known)}` })),
    );
}

/** What the assistant is told of an error; undefined where it is ours, and nothing of it may be told. */
export function messageOf(error: unknown): string | undefined {
  if (error instanceof ToolError) return error.message;
  return error instanceof DomainError ? `${error.problem}: ${error.message}` : undefined;
}
