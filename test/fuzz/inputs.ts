import fc, { type GeneratorValue } from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { KnownIds } from './account.ts';
import { hostileNumber, hostileText, hostileValue, oneOf, rarely } from './values.ts';

/** Good texts of arguments whose type does not say what they are. */
const SAMPLES: Record<string, string[]> = {
  query: ['command', 'class:ninja', 'price<5 or -x'],
  searchQuery: ['command', 'quantity>1'],
  setType: ['Wtr1stEdition', 'Hnt'],
  occurredDate: ['2026-04-13', '2024-02-29'],
  from: ['2026-01-01', '2026-04-01'],
  to: ['2026-04-13', '2026-02-01'],
  name: ['Binder', 'x'.repeat(100)],
  idempotencyKey: ['a', 'b', 'c'],
  csv: ['', 'variantId,date\n', 'a;b\n1;2'],
};

type Input = GraphQLArgument | GraphQLInputField;

/** What values are drawn from, and how much rarer than mostly those are that are not good. */
export interface Source {
  draw: GeneratorValue;
  ids: KnownIds;
  rarity?: number;
}

/** A value of the input's type, at times with a part that is not. */
export function inputOf(source: Source, type: GraphQLInputType, name: string): unknown {
  const { draw, ids, rarity = 1 } = source;
  const unusual = (times: number) => rarely(draw, times * rarity);
  if (unusual(25)) return draw(() => hostileValue);
  if (isNonNullType(type)) return inputOf(source, type.ofType, name);
  if (unusual(12)) return null;
  if (isListType(type)) {
    const length = draw(fc.nat, { max: 3 });
    return Array.from({ length }, () => inputOf(source, type.ofType, name));
  }
  if (isEnumType(type)) return oneOf(draw, type.getValues()).name;
  if (isInputObjectType(type)) return inputsOf(source, Object.values(type.getFields()));
  if (type.name === 'Boolean') return draw(fc.boolean);
  if (type.name === 'Int') return unusual(8) ? draw(() => hostileNumber) : oneOf(draw, [1, 2, 30, 200]);
  if (type.name === 'Float') return unusual(8) ? draw(() => hostileNumber) : oneOf(draw, [0, 1, 0.01, 12.5]);
  if (unusual(8)) return draw(() => hostileText);
  if (type.name !== 'ID') return oneOf(draw, SAMPLES[name] ?? ['x']);
  const [, kind] = /^(\w+)Id$/.exec(name) ?? [];
  return oneOf(draw, ids[kind as keyof KnownIds] ?? Object.values(ids).flat());
}

export function inputsOf(source: Source, inputs: readonly Input[]): Record<string, unknown> {
  const { draw, rarity = 1 } = source;
  const given = inputs.filter(({ type }) => !rarely(draw, isNonNullType(type) ? 40 * rarity : 2));
  return Object.fromEntries(given.map(({ name, type }) => [name, inputOf(source, type, name)]));
}
