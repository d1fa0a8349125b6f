import {
  type DocumentNode,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
export type JsonSchema = { [name: string]: Json };

/** An object, of which each property is described. */
export interface ObjectSchema extends JsonSchema {
  type: 'object';
  properties: Record<string, JsonSchema>;
  required: string[];
  additionalProperties: false;
}

const SCALARS: Record<string, JsonSchema> = {
  Int: { type: 'integer' },
  SafeInt: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  Date: { type: 'string', format: 'date' },
};

/** The variables of a document's operation, each described as the argument that it stands for. */
export function schemaOfVariables(schema: GraphQLSchema, document: DocumentNode): ObjectSchema {
  const descriptions = descriptionsOfVariables(schema, document);
  const fields = (getOperationAST(document)?.variableDefinitions ?? []).map(({ variable, type }) => {
    const name = variable.name.value;
    // The document is one of ours, which fits the schema.
    return { name, type: typeFromAST(schema, type as never) as never, description: descriptions.get(name) };
  });
  return schemaOfFields(fields);
}

function descriptionsOfVariables(schema: GraphQLSchema, document: DocumentNode): Map<string, string> {
  const found = new Map<string, string>();
  const types = new TypeInfo(schema);
  const visitor = {
    Variable({ name }: { name: { value: string } }) {
      const description = types.getArgument()?.description;
      if (description) found.set(name.value, description);
    },
  };
  visit(document, visitWithTypeInfo(types, visitor));
  return found;
}

export function schemaOfFields(
  fields: readonly Pick<GraphQLInputField, 'name' | 'type' | 'description'>[],
): ObjectSchema {
  const required = fields.filter(({ type }) => isNonNullType(type)).map(({ name }) => name);
  const properties = Object.fromEntries(
    fields.map(({ name, type, description }) => [
      name,
      { ...schemaOfType(type), ...(description && { description }) },
    ]),
  );
  return { type: 'object', properties, required, additionalProperties: false };
}

function schemaOfType(type: GraphQLInputType): JsonSchema {
  if (isNonNullType(type)) return schemaOfType(type.ofType);
  if (isListType(type)) return { type: 'array', items: schemaOfType(type.ofType) };
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) };
  if (isInputObjectType(type)) return schemaOfFields(Object.values(type.getFields()));
  return SCALARS[type.name] ?? { type: 'string' };
}
