import type { z } from 'zod';
import { Failure } from '../errors.ts';

/** By its name each value, or the list of them where it is given several times. */
export type Fields<Value> = Record<string, Value | Value[]>;

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

/** As Koa's own does it, in half the time. Of the question marks in front URLSearchParams drops one. */
export function readQuery(text: string): Fields<string> {
  return gather(new URLSearchParams(`?${text}`));
}

/** What the shape makes of it, or the 400 that names the first parameter at fault, to be told in its turn. */
export function judgeInput(shape: z.ZodType | undefined, given: unknown): unknown {
  if (!shape) return undefined;
  const result = shape.safeParse(given);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const param = issue.path.map(String).join('.');
  return new Failure('invalid_request', {
    message: param === '' ? issue.message : `${param}: ${issue.message}`,
    ...(param === '' ? {} : { param }),
  });
}

export function requireInput(judged: unknown): unknown {
  if (judged instanceof Failure) throw judged;
  return judged;
}
