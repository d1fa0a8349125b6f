import {
  buildSchema,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  lexicographicSortSchema,
  validateSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { typeOfId } from '../../src/domain/ids.ts';
import { createSchema } from '../../src/graphql/schema.ts';
import { DECIDED_SCHEMA, MUTATIONS } from './decided-schema.ts';

const schema = lexicographicSortSchema(createSchema());
const decided = lexicographicSortSchema(buildSchema(DECIDED_SCHEMA));

const ownTypes = (of: GraphQLSchema) =>
  Object.values(of.getTypeMap()).filter(
    ({ name }) => !name.startsWith('__') && !['String', 'Int', 'Float', 'Boolean', 'ID'].includes(name),
  );

/** `name(argument: Type = default): Type` of each field; the values of an enum; the members of a union. */
function signatures(type: GraphQLNamedType | undefined): string[] {
  if (isEnumType(type)) return type.getValues().map(({ name }) => name);
  if (isUnionType(type)) return type.getTypes().map(({ name }) => name);
  if (isInputObjectType(type)) {
    return Object.values(type.getFields()).map((field) => `${field.name}: ${field.type}`);
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).map(({ name, args, type: result }) => {
    const texts = args.map((arg) => {
      const fallback = arg.astNode?.defaultValue ?? arg.defaultValue;
      return `${arg.name}: ${arg.type}${fallback === undefined ? '' : ' = …'}`;
    });
    return `${name}(${texts.sort().join(', ')}): ${result}`;
  });
}

/**
 * The fields of one name that a query may not ask both of, below two fields of these types: GraphQL's rule that fields
 * with one response name must have one shape. `compared` has the pairs of types that were looked at.
 */
function clashes(
  a: GraphQLOutputType,
  b: GraphQLOutputType,
  path: string,
  compared = new Set<string>(),
): string[] {
  const unlike = [`${path}: ${a}, ${b}`];
  if (isNonNullType(a) || isNonNullType(b)) {
    return isNonNullType(a) && isNonNullType(b) ? clashes(a.ofType, b.ofType, path, compared) : unlike;
  }
  if (isListType(a) || isListType(b)) {
    return isListType(a) && isListType(b) ? clashes(a.ofType, b.ofType, path, compared) : unlike;
  }
  if (isLeafType(a) || isLeafType(b)) return a === b ? [] : unlike;
  if (compared.has(`${a} ${b}`)) return [];
  compared.add(`${a} ${b}`).add(`${b} ${a}`);
  const objectsOf = (type: typeof a) => (isAbstractType(type) ? schema.getPossibleTypes(type) : [type]);
  return objectsOf(a).flatMap((one) =>
    objectsOf(b).flatMap((other) =>
      Object.values(one.getFields()).flatMap(({ name, type }) => {
        const field = other.getFields()[name];
        return field ? clashes(type, field.type, `${one}, ${other}: ${name}`, compared) : [];
      }),
    ),
  );
}

const interfacesOf = (type: GraphQLNamedType | undefined) =>
  isObjectType(type) ? type.getInterfaces().map(({ name }) => name) : [];

describe('the schema', () => {
  it('is valid', () => {
    expect(validateSchema(schema)).toEqual([]);
  });

  it.each(ownTypes(decided).map((type) => [type.name, type] as const))('%s is as decided', (name, type) => {
    const actual = schema.getType(name);
    expect(actual?.constructor.name).toBe(type.constructor.name);
    expect(signatures(actual)).toEqual(expect.arrayContaining(signatures(type)));
    expect(interfacesOf(actual)).toEqual(expect.arrayContaining(interfacesOf(type)));
    // More fields break no client; another value or member may.
    if (isEnumType(type) || isUnionType(type)) expect(signatures(actual)).toEqual(signatures(type));
  });

  it('has the decided default of each argument', () => {
    const defaultsOf = (of: GraphQLSchema) =>
      ownTypes(of).flatMap((type) =>
        isObjectType(type)
          ? Object.values(type.getFields()).flatMap((field) =>
              field.args
                .filter(({ defaultValue }) => defaultValue !== undefined)
                .map(({ name, type: argument, defaultValue }) => {
                  const value = isEnumType(argument) ? argument.serialize(defaultValue) : defaultValue;
                  return `${type.name}.${field.name}(${name}: ${argument} = ${value})`;
                }),
            )
          : [],
      );
    expect(defaultsOf(schema)).toEqual(expect.arrayContaining(defaultsOf(decided)));
    expect(defaultsOf(decided)).toHaveLength(20);
  });

  it('describes every type, field, argument and value', () => {
    const undescribed: string[] = [];
    const check = (name: string, { description }: { description?: string | null | undefined }) => {
      if (!description?.trim()) undescribed.push(name);
    };
    for (const type of ownTypes(schema)) {
      check(type.name, type);
      if (isEnumType(type)) for (const value of type.getValues()) check(`${type.name}.${value.name}`, value);
      if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) continue;
      for (const field of Object.values(type.getFields())) {
        check(`${type.name}.${field.name}`, field);
        if ('args' in field)
          for (const arg of field.args) check(`${type.name}.${field.name}(${arg.name})`, arg);
      }
    }
    expect(undescribed).toEqual([]);
  });

  it('has a plain sentence for each description of a currency and an order', () => {
    const describe_ = (name: string) => {
      const type = schema.getType(name);
      return isEnumType(type) ? type.getValues().map(({ description }) => description) : [];
    };
    expect(describe_('Currency')).toContain('US Dollar.');
    expect(describe_('ProductEvSort')).toContain('Newest release date first.');
    for (const { name } of ownTypes(schema).filter(isEnumType)) {
      for (const text of describe_(name)) expect(text, name).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('implements Node by the types that have ids, and by no other', () => {
    const node = schema.getType('Node');
    const names = isInterfaceType(node) ? schema.getPossibleTypes(node).map(({ name }) => name) : [];
    const withIds = ['acc', 'col', 'txn', 'sum', 'prd', 'var', 'pev', 'alr', 'set', 'imp'].map((prefix) =>
      typeOfId(`${prefix}_1`),
    );
    expect([...names].sort()).toEqual(withIds.sort());
  });

  it('lets one query ask everything of any node', () => {
    const node = schema.getQueryType()!.getFields().node!.type;
    expect(clashes(node, node, 'node')).toEqual([]);
  });

  it('implements Error by the failures of the results', () => {
    const error = schema.getType('Error');
    const names = isInterfaceType(error) ? schema.getPossibleTypes(error).map(({ name }) => name) : [];
    expect([...names].sort()).toEqual(
      [
        ...new Set([
          'ValidationFailed',
          'IdempotencyMismatch',
          ...Object.values(MUTATIONS).flatMap(({ failures }) => failures),
        ]),
      ].sort(),
    );
  });

  it('answers every mutation with a union of its payload and failures', () => {
    for (const field of Object.values(schema.getMutationType()!.getFields())) {
      const name = field.name[0]!.toUpperCase() + field.name.slice(1);
      expect(field.args.map((arg) => `${arg.name}: ${arg.type}`)).toEqual([`input: ${name}Input!`]);
      expect(String(field.type)).toBe(`${name}Result!`);
      const members = signatures(schema.getType(`${name}Result`));
      expect(members.filter((member) => !interfacesOf(schema.getType(member)).includes('Error'))).toEqual([
        `${name}Payload`,
      ]);
      expect(signatures(schema.getType(`${name}Input`))).toContain('idempotencyKey: String');
    }
  });
});
