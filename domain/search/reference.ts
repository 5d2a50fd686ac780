// What an operator pastes into the search: a public id, a name, or the id of a workflow.
import { parseUuid, publicIdPattern } from '../shared/ids.ts';

/** The longest that is looked up: `entitlement:<product>:<person>`. */
export const LONGEST_REFERENCE = 96;

const PREFIXES = ['evt', 'pay', 'ch', 're', 'dp', 'sub'] as const;

const ACCESS = /^entitlement:([^:]+):([^:]+)$/;
const COHORT = /^deliveries:([^:]+):[0-9TZ:-]+$/;
/** Ids of workflows that are a prefix and the id of their record. */
const OF_RECORD = /^(?:delivery|purchase|subscription|membership|mail|recovery):/;

export type Reference =
  | { is: 'public_id'; prefix: (typeof PREFIXES)[number]; id: string }
  | { is: 'uuid'; id: string }
  | { is: 'access'; productId: string; personId: string }
  | { is: 'cohort'; endpointId: string }
  /** A handle, a slug or the last four characters of a key. */
  | { is: 'name'; name: string };

/** Null for what can name nothing. */
export function readReference(typed: string): Reference | null {
  const [, product = '', person = ''] = ACCESS.exec(typed) ?? [];
  const [productId, personId] = [parseUuid(product), parseUuid(person)];
  if (productId && personId) return { is: 'access', productId, personId };
  const endpointId = parseUuid(COHORT.exec(typed)?.[1] ?? '');
  if (endpointId) return { is: 'cohort', endpointId };
  const id = typed.replace(OF_RECORD, '');
  const prefix = PREFIXES.find((known) => publicIdPattern(`${known}_`).test(id));
  if (prefix) return { is: 'public_id', prefix, id };
  const uuid = parseUuid(id);
  if (uuid) return { is: 'uuid', id: uuid };
  const name = typed.replace(/^@/, '');
  return /^[A-Za-z0-9_-]{3,48}$/.test(name) ? { is: 'name', name } : null;
}
