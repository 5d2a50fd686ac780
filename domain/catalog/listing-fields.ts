// What a listing says beyond its name, as it is stored.
import { validateEmail } from '../identity/person-fields.ts';
import { validateMarkdown, type MarkdownProblem } from '../shared/text.ts';
import { validateAddress, type AddressProblem } from './product-address.ts';

export const LONGEST_DESCRIPTION = 20_000;
const MOST_DESCRIPTION_BYTES = 32 * 1_024;
const MOST_TAGS = 12;
const LONGEST_TAG = 24;
/** Twelve of the longest tags, each with a comma and a space. */
export const LONGEST_TAG_LIST = MOST_TAGS * (LONGEST_TAG + 2);

const UTF_8 = new TextEncoder();

/** Returns null when nothing was typed; a refused description stays as it was typed. */
export function validateDescription(typed: string): {
  value: string | null;
  problem: MarkdownProblem | null;
} {
  const { value, problem } = validateMarkdown(typed, LONGEST_DESCRIPTION);
  const isTooLong = value !== null && UTF_8.encode(value).length > MOST_DESCRIPTION_BYTES;
  return problem === null && isTooLong ? { value: typed, problem: 'too_long' } : { value, problem };
}

export type TagProblem = 'too_many' | 'not_a_tag';

const TAG = /^[a-z0-9][a-z0-9-]{0,22}[a-z0-9]$/;

/** Reads tags between commas or line breaks: `Time tracking` is `time-tracking`. Each counts once. */
export function validateTags(typed: string): { value: string[]; problem: TagProblem | null } {
  const words = typed.split(/[,\r\n]/).map((word) => word.trim().toLowerCase());
  const tags = words.filter((word) => word !== '').map((word) => word.replaceAll(/\s+/g, '-'));
  const value = [...new Set(tags)];
  if (!value.every((tag) => TAG.test(tag))) return { value, problem: 'not_a_tag' };
  return { value, problem: value.length > MOST_TAGS ? 'too_many' : null };
}

export type SupportProblem = AddressProblem | 'not_an_address';

/** An email address, or a page of the seller's. */
export function validateSupportAddress(
  typed: string,
  platformUrl: string,
): { value: string | null; problem: SupportProblem | null } {
  const value = typed.trim();
  if (!value.includes('@') || value.includes('/')) return validateAddress(value, platformUrl);
  const email = validateEmail(value);
  return email.problem === null
    ? { value: email.value, problem: null }
    : { value, problem: 'not_an_address' };
}
