import type { FieldMap, InputFieldBuilder, InputFieldMap, ObjectFieldBuilder } from '@pothos/core';
import { LIMITS } from '../domain/limits.ts';
import type { Context } from '../services/context.ts';
import { withIdempotencyKey } from '../services/idempotency.ts';
import type { Builder, BuilderTypes } from './builder.ts';
import { forgetLoaded, type GraphQLContext } from './context.ts';
import { asData, type DataProblem, type ErrorTypes, type Failure, isFailure } from './types/errors.ts';

export type InputFields = InputFieldBuilder<BuilderTypes, 'InputObject'>;
type PayloadFields<Payload> = ObjectFieldBuilder<BuilderTypes, Payload>;

/** As GraphQL has coerced it, without the nulls; the verb checks the values. */
type Input = Record<string, unknown>;

export type AddMutation = ReturnType<typeof mutationAdder>;

/**
 * Gives the function that adds a mutation: one input with an optional idempotency key, and a union of its payload and
 * the errors it can meet.
 */
export function mutationAdder(builder: Builder, errors: ErrorTypes) {
  builder.mutationType({
    description: 'Changes. Each takes one input and answers with its payload or an expected failure.',
  });
  return <Payload extends object>(mutation: {
    name: string;
    description: string;
    problems: readonly DataProblem[];
    fields: (t: InputFields) => InputFieldMap;
    payload: (t: PayloadFields<Payload>) => FieldMap;
    verb: (ctx: Context, input: Input) => Promise<Payload>;
    /** Of cost, beside those of every mutation. */
    points?: number;
    /** For each item of the longest list in its input, where the answer shows none. */
    pointsPerItem?: number;
  }) => {
    const { name, description, verb, points, pointsPerItem } = mutation;
    const problems: DataProblem[] = [...mutation.problems, 'ValidationFailed', 'IdempotencyMismatch'];
    const typeName = name[0]!.toUpperCase() + name.slice(1);
    const PayloadType = builder.objectRef<Payload>(`${typeName}Payload`).implement({
      description: `What ${name} gives when it has done it.`,
      fields: mutation.payload,
    });
    const ResultType = builder.unionType(`${typeName}Result`, {
      description: `What ${name} answers with: its payload, or an expected failure.`,
      types: [PayloadType, ...problems.map((problem) => errors[problem])],
      resolveType: (value) => (isFailure(value) ? value.problem : `${typeName}Payload`),
    });
    const answer = async (
      { context, mutation: one }: GraphQLContext,
      input: Input,
    ): Promise<Payload | Failure> => {
      const { idempotencyKey: key, ...given } = withoutNulls(input);
      try {
        const { operation } = one!;
        // What has begun to write goes on to its end, whether the client has left or not.
        const asker = operation.hasChanged ? { ...context, leaving: undefined } : context;
        const once = key === undefined ? asker : withIdempotencyKey(asker, key, 'idempotencyKey');
        const payload = await verb(once, given);
        operation.hasChanged = true;
        one!.isReplayed = once.idempotency?.replayed ?? false;
        return payload;
      } catch (error) {
        return asData(error, problems);
      }
    };
    const InputType = builder.inputRef<Input>(`${typeName}Input`).implement({
      description: `What ${name} needs.`,
      fields: (t) => ({
        ...mutation.fields(t),
        idempotencyKey: t.string({
          description: `Makes it safe to repeat: the same key and input give the first answer again for ${LIMITS.idempotencyKeyHours} hours.`,
        }),
      }),
    });
    builder.mutationField(name, (t) =>
      t.field({
        type: ResultType,
        description,
        extensions: { points, pointsPerItem },
        args: { input: t.arg({ type: InputType, required: true, description: 'What it needs.' }) },
        // A union of a generic payload is more than the types can follow; resolveType tells the members apart.
        resolve: (_root, { input }, graphql) => {
          const mutation = graphql.mutation!;
          if (mutation.isDone) return mutation.outcome as never;
          // Those before it may have used up what was left when the request came.
          if (mutation.operation.hasBegun) graphql.context.work?.assertLeft();
          mutation.operation.hasBegun = true;
          // What they have loaded is out of date.
          forgetLoaded(graphql);
          mutation.outcome = answer(graphql, input);
          return mutation.outcome as never;
        },
      }),
    );
  };
}

/** What a mutation takes that changes what has an id. */
export const idField = (t: InputFields) => ({ id: t.id({ required: true, description: 'Its id.' }) });

/** Adds a mutation that deletes what has an id. */
export function addDeletion(
  addMutation: AddMutation,
  mutation: {
    name: string;
    description: string;
    problems: readonly DataProblem[];
    remove: (ctx: Context, id: string) => Promise<unknown>;
  },
): void {
  const { remove, ...others } = mutation;
  addMutation<{ deletedId: string }>({
    ...others,
    fields: idField,
    payload: (t) => ({ deletedId: t.exposeID('deletedId', { description: 'Id of what was deleted.' }) }),
    verb: async (ctx, { id }) => {
      await remove(ctx, String(id));
      return { deletedId: String(id) };
    },
  });
}

/** A field that is null is one that is not given, also within what is given. */
function withoutNulls(input: Input): Input {
  const given: Input = {};
  for (const [name, value] of Object.entries(input)) {
    if (value != null) given[name] = givenOf(value);
  }
  return given;
}

function givenOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(givenOf);
  return typeof value === 'object' && value !== null ? withoutNulls(value as Input) : value;
}
