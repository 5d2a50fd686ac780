import type { Middleware } from 'koa';
import type { z } from 'zod';
import { HttpError } from './errors.ts';
import type { Shapes } from './route.ts';

/** The value of each name, or the list of values where a name is given several times. */
export type Fields<Value> = Record<string, Value | Value[]>;

/** Parameters of the path, the query and the body, as the route declares them. */
export function validate(input: Shapes): Middleware {
  return (ctx, next) => {
    const { state } = ctx;
    state['params'] = input.params && requireValid(input.params, ctx['params']);
    state['query'] = input.query && requireValid(input.query, readQuery(ctx.querystring));
    state['body'] = input.body && requireValid(input.body.shape, state['fields']);
    return next();
  };
}

export function requireValid<Output>(shape: z.ZodType<Output>, given: unknown): Output {
  const result = shape.safeParse(given);
  if (result.success) return result.data;
  throw toInvalidRequest(result.error);
}

/** The 400 names the first parameter at fault. */
export function toInvalidRequest(error: z.ZodError): HttpError {
  const issue = error.issues[0]!;
  const param = issue.path.map(String).join('.');
  return new HttpError('invalid_request', {
    message: param === '' ? issue.message : `${param}: ${issue.message}`,
    ...(param === '' ? {} : { param }),
  });
}

export function gather<Value extends string | Buffer>(
  entries: Iterable<[string, Value]>,
): Fields<Value> {
  const fields = Object.create(null) as Fields<Value>;
  for (const [name, value] of entries) {
    const earlier = fields[name];
    if (Array.isArray(earlier)) earlier.push(value);
    else fields[name] = earlier === undefined ? value : [earlier, value];
  }
  return fields;
}

/** Keeps a question mark at the front of the query: URLSearchParams drops one. */
export function readQuery(text: string): Fields<string> {
  return gather(new URLSearchParams(`?${text}`));
}
