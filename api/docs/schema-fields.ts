// The schemas of the OpenAPI document as fields that a person reads.

/** What we use of JSON Schema. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  const?: unknown;
  enum?: unknown[];
  'x-extensible-enum'?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  default?: unknown;
  examples?: unknown[];
};

export type Schemas = Record<string, Schema>;

export type Field = {
  /** Begins with the names of what the field is in: `data.user_id`. */
  name: string;
  type: string;
  isRequired: boolean;
  description: string;
  limits: string[];
};

function resolve(schema: Schema, schemas: Schemas): Schema {
  return schema.$ref === undefined ? schema : schemas[schema.$ref.split('/').at(-1)!]!;
}

/** The fields of an object, and after each those within it. */
export function listFields(schema: Schema, schemas: Schemas, outer = ''): Field[] {
  const { properties = {}, required = [] } = resolve(schema, schemas);
  return Object.entries(properties).flatMap(([key, given]) => {
    const inner = resolve(given, schemas);
    const name = `${outer}${key}`;
    const field = describeField(name, { ...inner, ...given }, required.includes(key));
    const within = findObject(inner, schemas);
    return within === null ? [field] : [field, ...listFields(within, schemas, `${name}.`)];
  });
}

/** An object that stands in the field itself, beside null or in a list. */
function findObject(schema: Schema, schemas: Schemas): Schema | null {
  const candidates = [schema, ...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  const objects = candidates.map((each) => resolve(each, schemas));
  return objects.find(({ properties }) => properties !== undefined) ?? null;
}

export function describeField(name: string, schema: Schema, isRequired: boolean): Field {
  const { description = '' } = schema;
  return {
    name,
    type: nameType(schema),
    isRequired,
    // The type lists the known values already.
    description: description.replace(/(?:\. )?Known values: .*$/, ''),
    limits: listLimits(schema),
  };
}

const FORMATS: Record<string, string> = { uuid: 'UUID', 'date-time': 'time', uri: 'URL' };

function nameType(schema: Schema): string {
  const values = schema.enum ?? schema['x-extensible-enum'];
  if (values) return values.map(String).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return schema.anyOf.map(nameType).join(' | ');
  if (schema.$ref || schema.properties) return 'object';
  if (schema.items) return `list of ${nameType(schema.items)}`;
  const types = [schema.type ?? 'any'].flat();
  return types.map((type) => (type === 'string' && FORMATS[schema.format!]) || type).join(' | ');
}

function listLimits(schema: Schema): string[] {
  const { format, minLength, maxLength, minimum, maximum, default: usual } = schema;
  return [
    minLength === 1 ? 'not empty' : '',
    minLength !== undefined && minLength > 1 ? `at least ${minLength} characters` : '',
    maxLength !== undefined && format !== 'uuid' ? `at most ${maxLength} characters` : '',
    minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER ? '' : `at least ${minimum}`,
    maximum === undefined ? '' : `at most ${maximum}`,
    usual === undefined ? '' : `${String(usual)} by default`,
  ].filter(Boolean);
}
