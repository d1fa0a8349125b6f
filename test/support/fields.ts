import { getNamedType, isEnumType, isLeafType, isObjectType, isRequiredArgument } from 'graphql';
import { createSchema } from '../../src/graphql/schema.ts';
import { DOCUMENT } from '../http/routes.ts';

/** What tests ask of a type and expect in an answer follows from the schemas, so that a new field is compared too. */

const TYPES = createSchema().getTypeMap();

const modelOf = (model: string) =>
  DOCUMENT.components!.schemas![model] as {
    properties: Record<string, { $ref?: string }>;
    required?: string[];
  };

/** The fields of a model of REST. */
export function restFields(model: string): string[] {
  return Object.keys(modelOf(model).properties);
}

/** Whether a field of a model of REST is left out where there is nothing to say. */
export function isOptional(model: string, field: string): boolean {
  return !modelOf(model).required?.includes(field);
}

function fieldsOf(type: string) {
  const found = TYPES[type];
  if (!isObjectType(found)) throw new Error(`There is no object type ${type}.`);
  return found.getFields();
}

/**
 * The selection of the fields of a type that are numbers, texts, enums, amounts or grades, of those in `among`; `more` is what
 * else is asked for.
 */
export function selectionOf(type: string, among: readonly string[], more = ''): string {
  const selected = Object.values(fieldsOf(type))
    .filter(({ name, args }) => among.includes(name) && !args.some(isRequiredArgument))
    .flatMap(({ name, type: result }) => {
      const named = getNamedType(result);
      if (isLeafType(named)) return [name];
      if (named.name === 'Money') return [`${name} { currency value decimal }`];
      return named.name === 'Grade' ? [`${name} { company grade certificate }`] : [];
    });
  return `{ ${selected.join(' ')} ${more} }`;
}

/** The value of a field of a type, by REST's name where it is one of an enum. */
export function restValue(type: string, model: string, field: string, value: unknown): unknown {
  if (!isEnumType(getNamedType(fieldsOf(type)[field]?.type))) return value;
  const capitals = (name: string) => name.toUpperCase();
  const named = modelOf(model).properties[field]?.$ref?.split('/').at(-1);
  const { enum: names } = DOCUMENT.components!.schemas![named ?? ''] as { enum: string[] };
  return names.find((name) => capitals(name) === String(value).replaceAll('_', ''));
}
