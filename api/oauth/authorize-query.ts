import { z } from 'zod';
import type { Parameters } from '../../domain/oauth/authorize-request.ts';
import { given } from '../http/fields.ts';
import { keepKnown, readKnown } from './parameters.ts';

const RULES = {
  client_id: 'Issued with the OAuth client',
  redirect_uri: 'Exactly one of the URIs that are registered for the client',
  scope: '`identity`, `entitlements` or both, which is the default; others are dropped',
  state: 'Returned unchanged; at most 4,096 characters',
  code_challenge: 'base64url of SHA-256 of the verifier; public and native clients must send it',
  code_challenge_method: '`S256`',
  response_type: '`code`, or absent',
};

const NAMES = Object.keys(RULES);

const MAX_LENGTH = 4_096;

const value = given(MAX_LENGTH);
const once = z.union([value, z.array(value)]).optional();

const EXAMPLES: Record<keyof typeof RULES, string> = {
  client_id: 'gcl_4fT9kQ2wX7mB1cV8nZ3rLs',
  redirect_uri: 'https://app.example/callback',
  scope: 'identity entitlements',
  state: 'af0ifjsldkj',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
  response_type: 'code',
};

const REQUIRED = new Set(['client_id', 'redirect_uri']);

/** A repeated parameter has a page of its own. */
export const authorizeQuery = z.object(Object.fromEntries(NAMES.map((name) => [name, once])));

/** What the reference says; the values are read from the query as it came. */
export const documentedQuery = z.object(
  Object.fromEntries(
    Object.entries(RULES).map(([name, description]) => {
      const meta = { description, examples: [EXAMPLES[name as 'state']] };
      return [name, (REQUIRED.has(name) ? value : value.optional()).meta(meta)];
    }),
  ),
);

/** The values of each parameter that we know; null where one of them cannot be read as text. */
export function readParameters(query: string): Parameters | null {
  return readKnown(query, { names: NAMES, longest: MAX_LENGTH });
}

/** The query without parameters that we do not know; each of the others as it came. */
export function keepParameters(query: string): string {
  return keepKnown(query, NAMES);
}
