/** The part of JSON Schema that the OpenAPI document uses. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  format?: string;
  minimum?: number;
  maximum?: number;
}

/** Keywords that say nothing of the value, or that the checks below look at. */
const KNOWN = new Set([
  ...['$ref', 'type', 'anyOf', 'enum', 'const', 'properties', 'required', 'items', 'minItems', 'maxItems'],
  ...['format', 'minimum', 'maximum', 'pattern', 'description', 'example', 'additionalProperties'],
]);

const FORMATS: Record<string, RegExp> = {
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
};

/**
 * Where a value breaks the schema, as texts; references are looked up in `components`. Stricter than the standard: no
 * property may be there that the schema does not name.
 */
export function schemaErrors(schema: unknown, value: unknown, components: unknown, at = '$'): string[] {
  const rule = schema as Schema;
  const unknown = Object.keys(rule).filter((keyword) => !KNOWN.has(keyword));
  if (unknown.length > 0) return [`${at}: the check does not know ${unknown.join(', ')}`];
  if (rule.$ref) {
    const target = (components as Record<string, unknown>)[rule.$ref.replace('#/components/schemas/', '')];
    return target ? schemaErrors(target, value, components, at) : [`${at}: nothing at ${rule.$ref}`];
  }
  if (rule.anyOf) {
    const tries = rule.anyOf.map((option) => schemaErrors(option, value, components, at));
    return tries.find((errors) => errors.length === 0) ?? tries.flat();
  }
  const types = rule.type === undefined ? [] : [rule.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) {
    return [`${at}: ${JSON.stringify(value)} is not ${types.join(' or ')}`];
  }
  const options = rule.enum ?? (rule.const === undefined ? undefined : [rule.const]);
  if (options && !options.includes(value)) return [`${at}: ${JSON.stringify(value)} is no option`];
  if (Array.isArray(value)) return itemErrors(rule, value, components, at);
  if (typeof value === 'object' && value !== null) return propertyErrors(rule, value, components, at);
  return scalarErrors(rule, value, at);
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function itemErrors(rule: Schema, value: unknown[], components: unknown, at: string): string[] {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items = {} } = rule;
  if (value.length < minItems || value.length > maxItems) return [`${at}: ${value.length} items`];
  return value.flatMap((item, i) => schemaErrors(items, item, components, `${at}[${i}]`));
}

function propertyErrors(rule: Schema, value: object, components: unknown, at: string): string[] {
  const { properties = {}, required = [] } = rule;
  const missing = required.filter((name) => !Object.hasOwn(value, name));
  const errors = missing.map((name) => `${at}.${name} is missing`);
  for (const [name, inner] of Object.entries(value)) {
    const property = properties[name];
    if (property) errors.push(...schemaErrors(property, inner, components, `${at}.${name}`));
    else errors.push(`${at}.${name} is not in the schema`);
  }
  return errors;
}

function scalarErrors({ format, minimum, maximum }: Schema, value: unknown, at: string): string[] {
  const pattern = format === undefined || typeof value !== 'string' ? undefined : FORMATS[format];
  if (pattern && !pattern.test(value as string)) return [`${at}: ${value} is no ${format}`];
  if (typeof value === 'number' && (value < (minimum ?? value) || value > (maximum ?? value))) {
    return [`${at}: ${value} is out of range`];
  }
  return [];
}
