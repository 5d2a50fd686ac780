// What an operator pastes into the search: a public id, a name, an address, or the id of a workflow.
import { validateEmail } from '../identity/person-fields.ts';
import { isClientId, parseUuid, publicIdPattern } from '../shared/ids.ts';
import { validateLine } from '../shared/text.ts';

/** The longest that is looked up: an email address. */
export const LONGEST_REFERENCE = 254;
const SHORTEST_WORDS = 2;

const PREFIXES = ['evt', 'pay', 'ch', 're', 'dp', 'sub', 'grant'] as const;

const REQUEST_ID = /^req_[0-9A-Za-z]{24}$/;
const EMAIL = /^[^\s@]+@[^\s@]+$/;
const ACCESS = /^entitlement:([^:]+):([^:]+)$/;
const COHORT = /^deliveries:([^:]+):[0-9TZ:-]+$/;
/** A month of the pool, and a payout of one. */
const POOL_PERIOD = /^(?:pool:)?(2\d{3}-\d{2}:[A-Z]{3})$/;
const POOL_PAYOUT = /^pool-2\d{3}-\d{2}-[0-9a-f-]{36}-[A-Z]{3}$/;
/** Ids of workflows that are a prefix and the id of their record. */
const OF_RECORD = /^(?:delivery|purchase|subscription|membership|mail|recovery|import):/;

export type Reference =
  | { is: 'public_id'; prefix: (typeof PREFIXES)[number] | 'req' | 'gcl'; id: string }
  | { is: 'uuid'; id: string }
  | { is: 'access'; productId: string; personId: string }
  | { is: 'cohort'; endpointId: string }
  | { is: 'pool_period'; id: string }
  | { is: 'pool_payout'; id: string }
  | { is: 'email'; address: string }
  /** A handle, a slug, the last four characters of a key, or how a product's name begins. */
  | { is: 'name'; name: string }
  /** Only how a product's name begins. */
  | { is: 'words'; words: string };

/** Returns null for what can name nothing. */
export function readReference(typed: string): Reference | null {
  const [, product = '', person = ''] = ACCESS.exec(typed) ?? [];
  const [productId, personId] = [parseUuid(product), parseUuid(person)];
  if (productId && personId) return { is: 'access', productId, personId };
  const endpointId = parseUuid(COHORT.exec(typed)?.[1] ?? '');
  if (endpointId) return { is: 'cohort', endpointId };
  const periodId = POOL_PERIOD.exec(typed)?.[1];
  if (periodId) return { is: 'pool_period', id: periodId };
  if (POOL_PAYOUT.test(typed)) return { is: 'pool_payout', id: typed };
  const id = typed.replace(OF_RECORD, '');
  const prefix = PREFIXES.find((known) => publicIdPattern(`${known}_`).test(id));
  if (prefix) return { is: 'public_id', prefix, id };
  if (REQUEST_ID.test(id)) return { is: 'public_id', prefix: 'req', id };
  if (isClientId(id)) return { is: 'public_id', prefix: 'gcl', id };
  const uuid = parseUuid(id);
  if (uuid) return { is: 'uuid', id: uuid };
  const name = typed.replace(/^@/, '');
  if (/^[A-Za-z0-9_-]{3,48}$/.test(name)) return { is: 'name', name };
  const { value: words, problem } = validateLine(typed, LONGEST_REFERENCE);
  if (problem !== null || words.length < SHORTEST_WORDS) return null;
  if (!EMAIL.test(words)) return { is: 'words', words };
  return { is: 'email', address: validateEmail(words).value };
}
