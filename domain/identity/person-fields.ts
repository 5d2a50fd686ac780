// The rules of handles, names and addresses.

import { isReserved } from '../shared/reserved-words.ts';
import { validateName, type NameProblem } from '../shared/names.ts';

export type FieldProblem = NameProblem | 'not_an_address' | 'not_a_handle';
export type FieldValue = { value: string; problem: FieldProblem | null };

const LONGEST_EMAIL = 254;

/** The addresses that browsers accept, with a dot in the domain; quoted names are refused. */
const EMAIL =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/i;
/** Dots of other scripts are dots of a domain as well. */
const OTHER_THAN_WORDS = /[^\p{L}\p{M}\p{N}.\u3002\uff0e\uff61-]/u;
const HANDLE = /^[a-z0-9_]{3,24}$/;
/** The handles of deleted people. */
const GONE = /^gone_/;

/** Every address that somebody types goes through here: its value is the one that is kept. */
export function validateEmail(given: string): FieldValue {
  const typed = given.trim();
  if (typed === '') return { value: typed, problem: 'required' };
  const value = typed.length > LONGEST_EMAIL ? typed : withAsciiDomain(typed);
  if (value.length > LONGEST_EMAIL) return { value: '', problem: 'too_long' };
  return { value, problem: EMAIL.test(value) ? null : 'not_an_address' };
}

/** Names the domain as mail servers do: `müller.example` is `xn--mller-kva.example`. */
function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  if (at === 0 || !/\P{ASCII}/u.test(domain) || OTHER_THAN_WORDS.test(domain)) return address;
  const url = URL.parse(`https://${domain}`);
  return url === null ? address : `${address.slice(0, at)}${url.hostname}`;
}

export function validateHandle(given: string): FieldValue {
  const value = given.trim().toLowerCase();
  if (value === '') return { value, problem: 'required' };
  if (value.length > 100) return { value: '', problem: 'not_a_handle' };
  if (!HANDLE.test(value) || GONE.test(value)) return { value, problem: 'not_a_handle' };
  return { value, problem: isReserved(value) ? 'reserved' : null };
}

/** A name of which mail programs make no link. */
const PLAIN_NAME = /^(?:[\p{L}\p{M}\p{N}'\u2019 -]|\.(?= |$)){1,40}$/u;

/** True when a mail may say the name: no mail program makes a link of it. */
export function isPlainName(name: string): boolean {
  return PLAIN_NAME.test(name);
}

/** Returns how a mail greets a person: by the display name, or the handle where that is long or odd. */
export function nameForMail({
  displayName,
  handle,
}: {
  displayName: string;
  handle: string;
}): string {
  return isPlainName(displayName) ? displayName : handle;
}

export function validateDisplayName(given: string): FieldValue {
  return validateName(given);
}
