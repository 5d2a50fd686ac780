// The query of a list; empty fields of a search form count as absent.
import { z } from 'zod';
import { parseUuid } from '../../domain/shared/ids.ts';
import { given, uuid } from '../http/fields.ts';

export const place = z
  .union([z.literal(''), uuid()])
  .default('')
  .transform((value) => value || null);

export const handleStart = given(24)
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9_]{0,24}$/, 'must be the start of a handle: letters, digits, underscores')
  .default('');

export const slugStart = given(48)
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9-]{0,48}$/, 'must be the start of a slug: letters, digits, dashes')
  .default('');

/** A name or an id; anything else is refused. */
export const reference = given(48)
  .trim()
  .toLowerCase()
  .refine(
    (text) => text === '' || /^[a-z0-9_-]{3,48}$/.test(text) || parseUuid(text) !== null,
    'must be a name or an id',
  )
  .default('');
