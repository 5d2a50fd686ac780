import { z } from 'zod';
import type { Route } from '../../../api/http/route.ts';

type Schema = {
  type?: string;
  enum?: string[];
  const?: string;
  maxLength?: number;
  format?: string;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
};

/** A field that takes text of the caller's own, and the longest that its shape lets through. */
export type TextField = {
  route: Route;
  where: 'params' | 'query' | 'body';
  name: string;
  longest: number;
  /** What goes along with it. */
  others: Record<string, string>;
};

/** Every such field of a route; what is no object of fields has none. */
export function textFieldsOf(route: Route): TextField[] {
  const { params, query, body } = route.input;
  const isText = body?.kind === 'json' || body?.kind === 'form' || body?.kind === 'upload';
  const shapes = {
    params,
    query,
    body: isText ? body.shape : route.documentation?.requestBody,
  };
  return Object.entries(shapes).flatMap(([where, shape]) =>
    shape === undefined ? [] : fieldsIn(route, where as TextField['where'], shape),
  );
}

function fieldsIn(route: Route, where: TextField['where'], shape: z.ZodType): TextField[] {
  const schema = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) as Schema;
  return alternatives(schema).flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([name, field]) => {
      const open = alternatives(field).filter((leaf) => !leaf.enum && leaf.const === undefined);
      if (open.length === 0) return [];
      const longest = Math.max(...open.map((leaf) => leaf.maxLength ?? Infinity));
      const others = Object.fromEntries(
        Object.entries(properties)
          .filter(([other]) => other !== name)
          .map(([other, its]) => [other, exampleOf(its)]),
      );
      return [{ route, where, name, longest, others }];
    }),
  );
}

function alternatives(schema: Schema): Schema[] {
  const inner = schema.anyOf ?? schema.oneOf ?? (schema.items ? [schema.items] : null);
  return inner ? inner.flatMap(alternatives) : schema.type === 'null' ? [] : [schema];
}

function exampleOf(field: Schema): string {
  const [leaf] = alternatives(field);
  if (leaf?.format === 'uuid') return '0199f3a8-6c1e-7000-8000-9e0d2b4c6f81';
  return leaf?.const ?? leaf?.enum?.[0] ?? 'x';
}
