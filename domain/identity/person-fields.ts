// The rules of handles, names and addresses.

import { isReserved } from '../shared/reserved-words.ts';
import { validateName, type NameProblem } from '../shared/names.ts';

export type FieldProblem = NameProblem | 'not_an_address' | 'not_a_handle';
export type Judged = { value: string; problem: FieldProblem | null };

const LONGEST_EMAIL = 254;

/** The addresses that browsers accept, with a dot in the domain; quoted names are refused. */
const EMAIL =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/i;
const HANDLE = /^[a-z0-9_]{3,24}$/;
/** The handles of deleted people. */
const GONE = /^gone_/;

export function validateEmail(given: string): Judged {
  const value = given.trim();
  if (value === '') return { value, problem: 'required' };
  if (value.length > LONGEST_EMAIL) return { value: '', problem: 'too_long' };
  return { value, problem: EMAIL.test(value) ? null : 'not_an_address' };
}

/** Whether the input has the form of a handle. */
export function isHandle(input: unknown): input is string {
  return typeof input === 'string' && HANDLE.test(input);
}

export function validateHandle(given: string): Judged {
  const value = given.trim().toLowerCase();
  if (value === '') return { value, problem: 'required' };
  if (value.length > 100) return { value: '', problem: 'not_a_handle' };
  if (!HANDLE.test(value) || GONE.test(value)) return { value, problem: 'not_a_handle' };
  return { value, problem: isReserved(value) ? 'reserved' : null };
}

export function validateDisplayName(given: string): Judged {
  return validateName(given);
}
