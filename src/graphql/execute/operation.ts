import {
  type DocumentNode,
  defaultFieldResolver,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { inspect } from 'graphql/jsutils/inspect.js';
import { isAsyncIterable } from 'graphql/jsutils/isAsyncIterable.js';
import { conditionVariables } from './collect-fields.ts';
import { type Compilation, compileFields, type Field, objectWriter, type ReplaceWriter } from './compile.ts';
import { fragmentsOf } from './fragments.ts';
import { FieldInfo } from './info.ts';
import { located } from './located.ts';
import { Output } from './output.ts';
import { dataPosition } from './position.ts';
import { type Bounds, Run, type Write } from './run.ts';
import { type CoercedVariables, variableCoercion } from './variables.ts';

/** What an operation is executed with. */
export interface ExecutionInput {
  context: unknown;
  /** Coerced. */
  variableValues: Readonly<Record<string, unknown>>;
  /** The event, for what follows one. */
  rootValue?: unknown;
  /** By default none. */
  bounds?: Bounds;
  /** Runs each field of a mutation, one behind the other, by what executes it; by default as it is. */
  eachMutation?: (execute: ExecuteMutation) => Promise<Execution>;
}

/** Executes one field of a mutation, with a context and bounds in the place of those of the operation where they are given. */
export type ExecuteMutation = (own?: Pick<ExecutionInput, 'context' | 'bounds'>) => Promise<Execution>;

/** The result of an execution. */
export interface Execution {
  /** The JSON of `data`. */
  data: string;
  /** Left out where there are none. */
  errors?: readonly GraphQLError[];
  /** What they count in the limit. */
  errorBytes?: number;
}

/** An operation of a document that is valid by a schema, in functions made for it. */
export interface CompiledOperation {
  /** How many sets of functions it comes to, at most: one for each set of values of what decides which fields are selected. */
  variants: number;
  /** Coerces what was sent for the operation's variables, or says what is wrong with it. */
  coerce(sent: Record<string, unknown>): CoercedVariables;
  /** At once where no resolver is waited for. Never throws. */
  execute(input: ExecutionInput): Promise<Execution> | Execution;
  /** The events of a subscription, each of which is to be executed, or the errors that say why there are none. */
  subscribe(input: ExecutionInput): Promise<AsyncIterable<unknown> | { errors: readonly GraphQLError[] }>;
}

/** Sets of values of the variables for `@skip` and `@include` that are held, each with functions of its own. */
const MAX_CONDITIONS = 8;

const UNBOUNDED: Bounds = {
  maxBytes: Number.POSITIVE_INFINITY,
  tooLarge: () => new GraphQLError('The answer is too large.'),
};

/** @param replaceWriter see there; by default all writers stay what they are */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  replaceWriter: ReplaceWriter = (write) => write,
): CompiledOperation {
  const fragments = fragmentsOf(document);
  const conditions = conditionVariables(document, operation);
  const known = new Map<string, Root>();
  const rootFor = (variableValues: ExecutionInput['variableValues']): Root => {
    const decisive = Object.fromEntries(conditions.map((name) => [name, variableValues[name]]));
    const key = JSON.stringify(decisive);
    let root = known.get(key);
    if (!root) {
      root = rootOf({ schema, fragments, operation, variableValues: decisive, replaceWriter });
      if (known.size === MAX_CONDITIONS) known.clear();
      known.set(key, root);
    }
    return root;
  };
  return {
    variants: Math.min(2 ** conditions.length, MAX_CONDITIONS),
    coerce: variableCoercion(schema, operation.variableDefinitions ?? []),
    execute(input) {
      try {
        const root = rootFor(input.variableValues);
        return operation.operation === OperationTypeNode.MUTATION
          ? inTurn(root, input)
          : atOnce(root, runOf(input));
      } catch (error) {
        return { data: 'null', errors: [located(error, undefined)] };
      }
    },
    async subscribe({ context, variableValues, rootValue }) {
      try {
        const [field] = rootFor(variableValues).fields;
        if (!field) throw nothingToFollow(operation);
        return await eventsOf(field, new Run(rootValue, context, variableValues, UNBOUNDED));
      } catch (error) {
        if (error instanceof GraphQLError) return { errors: [error] };
        throw error;
      }
    },
  };
}

/** What is executed of the root type. */
interface Root {
  fields: readonly Field[];
  write: Write;
}

function rootOf(plan: Omit<Compilation, 'nextNumber'>): Root {
  const { schema, operation } = plan;
  let fieldCount = 0;
  const fields = compileFields({ ...plan, nextNumber: () => fieldCount++ }, rootTypeOf(schema, operation), [
    operation.selectionSet,
  ]);
  return { fields, write: objectWriter(fields) };
}

function atOnce({ write }: Root, run: Run): Promise<Execution> | Execution {
  const out = new Output();
  const data = dataPosition(out);
  try {
    write(run.rootValue, out, data, run);
  } catch (error) {
    if (run.isFull) return tooLarge(run.bounds);
    run.failData(error, data);
  }
  const settled = run.settled();
  return settled ? settled.then(() => resultOf(out, run)) : resultOf(out, run);
}

/** As the fields of a mutation are executed: one after the other, each with all that is selected from it. */
async function inTurn({ fields }: Root, input: ExecutionInput): Promise<Execution> {
  const { bounds = UNBOUNDED, eachMutation = (execute) => execute() } = input;
  const errors: GraphQLError[] = [];
  let data = '';
  let errorBytes = 0;
  for (const field of fields) {
    const before = data;
    const bytesBefore = errorBytes;
    const part = await eachMutation(async (own) => {
      const run = runOf({ ...input, ...own }, before.length + bytesBefore);
      const one = await alone(field, run);
      const maxBytes = bounds.maxBytes - bytesBefore - run.errorBytes;
      if (one.data === 'null' || hasFailed(run)) return one;
      return isLarger(`${before}${one.data}}`, maxBytes) ? tooLarge(bounds, field.name) : one;
    });
    if (part.errors) errors.push(...part.errors);
    errorBytes += part.errorBytes ?? 0;
    if (part.data === 'null') return { data: 'null', errors };
    data += part.data;
  }
  data += fields.length === 0 ? '{}' : '}';
  return executionOf(data, { errors, errorBytes });
}

/** One field of a mutation: its part of the text of `data`, or null for all of that. */
async function alone({ label, read, place, name, nodes }: Field, run: Run): Promise<Execution> {
  const out = new Output();
  out.text = label;
  const data = dataPosition(out);
  try {
    place(read(run.rootValue, data, run), name, out, data, run);
  } catch (error) {
    if (run.isFull) return tooLarge(run.bounds, name);
    run.failData(located(error, nodes, [name]), data);
  }
  await run.settled();
  return run.isFull ? tooLarge(run.bounds, name) : executionOf(out.toString(), run);
}

/** @param taken characters that there are already */
function runOf({ rootValue, context, variableValues, bounds = UNBOUNDED }: ExecutionInput, taken = 0): Run {
  const run = new Run(rootValue, context, variableValues, bounds);
  run.room -= taken;
  return run;
}

function resultOf(out: Output, run: Run): Execution {
  const { errors, errorBytes, bounds, isFull } = run;
  if (isFull) return tooLarge(bounds);
  if (bounds.waiter?.hasGone()) return { data: 'null', errors: [...errors, bounds.waiter.goneError()] };
  const data = out.toString();
  return isLarger(data, bounds.maxBytes - errorBytes) ? tooLarge(bounds) : executionOf(data, run);
}

function executionOf(data: string, { errors, errorBytes }: Pick<Run, 'errors' | 'errorBytes'>): Execution {
  return errors.length === 0 ? { data } : { data, errors, errorBytes };
}

/** Whether it is a root field that failed: how a mutation did is told whatever room there is. */
function hasFailed({ errors }: Run): boolean {
  return errors.some(({ path = [] }) => path.length <= 1);
}

/** How many bytes a text has takes a look at all of it; no character has more than three. */
function isLarger(text: string, maxBytes: number): boolean {
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}

/**
 * Nothing of an answer that has no room is given: half of it would look like all of it.
 * @param mutation the last that was executed, of those
 */
function tooLarge(bounds: Bounds, mutation?: string): Execution {
  return { data: 'null', errors: [bounds.tooLarge(mutation)] };
}

async function eventsOf(field: Field, run: Run): Promise<AsyncIterable<unknown>> {
  const { definition, nodes, name } = field;
  let events: unknown;
  try {
    const args = getArgumentValues(definition, nodes[0]!, run.variableValues);
    const info = new FieldInfo(field, dataPosition(new Output()), run);
    events = await (definition.subscribe ?? defaultFieldResolver)(run.rootValue, args, run.context, info);
    if (events instanceof Error) throw events;
  } catch (error) {
    throw located(error, nodes, [name]);
  }
  if (isAsyncIterable(events)) return events;
  throw new Error(`Subscription field must return Async Iterable. Received: ${inspect(events)}.`);
}

/** GraphQL's own validation lets a subscription pass whose one field is skipped. */
function nothingToFollow(nodes: OperationDefinitionNode): GraphQLError {
  const extensions = { code: 'BAD_USER_INPUT' };
  return new GraphQLError('A subscription must select a field.', { nodes, extensions });
}

function rootTypeOf(schema: GraphQLSchema, operation: OperationDefinitionNode): GraphQLObjectType {
  const type = schema.getRootType(operation.operation);
  if (type) return type;
  throw new GraphQLError(`Schema is not configured to execute ${operation.operation} operation.`, {
    nodes: operation,
  });
}
