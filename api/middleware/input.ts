import type { z } from 'zod';
import { Failure } from '../errors.ts';

/** What the shape makes of it, or 400 that names the first parameter at fault. */
export function parseInput<Shape extends z.ZodType>(
  shape: Shape | undefined,
  given: unknown,
): z.output<Shape> | undefined {
  if (!shape) return undefined;
  const result = shape.safeParse(given);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const param = issue.path.map(String).join('.');
  throw new Failure('invalid_request', {
    message: param === '' ? issue.message : `${param}: ${issue.message}`,
    ...(param === '' ? {} : { param }),
  });
}
