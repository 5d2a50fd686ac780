// Schemas of the fields of forms and queries.
import { z } from 'zod';
import { cut, FAR_TOO_LONG } from '../../domain/shared/normalise.ts';

/** The body of a form with these fields. */
export function formBody<Fields extends z.ZodRawShape>(fields: Fields) {
  return { kind: 'form', shape: z.object(fields) } as const;
}

/** The body of a form that is a button alone. */
export const NO_FIELDS = formBody({});

const TOO_LONG = { error: 'is too long', abort: true };

/**
 * A required text. Longer input is cut, so no later step handles megabytes; the cut value stays
 * invalid.
 */
export function given(longest: number) {
  return z
    .string({ error: 'must be given once' })
    .overwrite((value) => cut(value, longest))
    .max(FAR_TOO_LONG * longest + 1)
    .meta({ override: ({ jsonSchema }) => void delete jsonSchema.maxLength }); // it is cut, not refused
}

/** Text columns hold no NUL. */
export function text(longest: number) {
  return given(longest).refine(isText, NOT_TEXT);
}

/** Refuses long text instead of cutting it: a cut amount would be another amount. */
export function whole(longest: number) {
  return z
    .string({ error: 'must be given once' })
    .max(FAR_TOO_LONG * longest, TOO_LONG)
    .refine(isText, NOT_TEXT);
}

const NOT_TEXT = 'must be text';

function isText(value: string): boolean {
  return !value.includes('\0');
}

/** What is matched is short. */
export function matching(pattern: RegExp, longest: number) {
  return z.string().max(longest, TOO_LONG).regex(pattern);
}

export function uuid(error?: string) {
  const said = error === undefined ? {} : { error };
  return z
    .string(said)
    .max(36, { abort: true, ...said })
    .check(z.guid(said));
}

/** The row that a page of a list starts after. Absent or empty, it is the first page. */
export function cursor<Shape extends z.ZodType<string>>(shape: Shape) {
  return z
    .union([z.literal(''), shape])
    .default('')
    .transform((value) => value || null);
}

/** An optional code in the query string. Any other value counts as absent. */
export const mark = z.string().max(64, TOO_LONG).optional().catch(undefined);
