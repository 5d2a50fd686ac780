// The query of a list; empty fields of a search form count as absent.
import { cursor, given, uuid } from '../http/fields.ts';

export const place = cursor(uuid());

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
