import { readFileSync } from 'node:fs';
import { buildSchema, getNamedType, isInputObjectType, isLeafType } from 'graphql';
import { projectPath } from '../../../src/paths.ts';

/** The published schema. */
export const SCHEMA = buildSchema(readFileSync(projectPath('schema/schema.graphql'), 'utf8'));

/** Objects that are values: there is nothing of them to choose. */
const VALUES = new Set(['Money', 'Return', 'Grade', 'PriceAlertTrigger', 'AccountLimits', 'EvDistribution']);

/** A selection of all that objects of a type have by themselves: what takes no arguments, and leads to no other object. */
export function all(typeName: string): string {
  const type = SCHEMA.getType(typeName);
  if (!type || !('getFields' in type) || isInputObjectType(type)) throw new Error(`no fields: ${typeName}`);
  return Object.values(type.getFields())
    .filter(({ args }) => args.length === 0)
    .flatMap(({ name, type }) => {
      const of = getNamedType(type);
      if (isLeafType(of)) return [name];
      return VALUES.has(of.name) ? [`${name} { ${all(of.name)} }`] : [];
    })
    .join(' ');
}
