// What an operator pastes into the search: a public id, a name, or the id of a workflow.

/** The longest that is looked up: `entitlement:<product>:<person>`. */
export const LONGEST_REFERENCE = 96;

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const ULID = '[0-9A-HJKMNP-TV-Z]{26}';

const PUBLIC_ID = new RegExp(`^(evt|pay|ch|re|dp|sub)_${ULID}$`);
const IS_UUID = new RegExp(`^${UUID}$`);
const ACCESS = new RegExp(`^entitlement:(${UUID}):(${UUID})$`);
const COHORT = new RegExp(`^deliveries:(${UUID}):[0-9TZ:-]+$`);
/** Ids of workflows that are a prefix and the id of their record. */
const OF_RECORD = /^(?:delivery|purchase|subscription|membership|mail|recovery):/;

export type Reference =
  | { is: 'public_id'; prefix: 'evt' | 'pay' | 'ch' | 're' | 'dp' | 'sub'; id: string }
  | { is: 'uuid'; id: string }
  | { is: 'access'; productId: string; personId: string }
  | { is: 'cohort'; endpointId: string }
  /** A handle, a slug or the last four characters of a key. */
  | { is: 'name'; name: string };

/** Null for what can name nothing. */
export function readReference(typed: string): Reference | null {
  const [, productId, personId] = ACCESS.exec(typed) ?? [];
  if (productId && personId) return { is: 'access', productId, personId };
  const [, endpointId] = COHORT.exec(typed) ?? [];
  if (endpointId) return { is: 'cohort', endpointId };
  const id = typed.replace(OF_RECORD, '');
  const [, prefix] = PUBLIC_ID.exec(id) ?? [];
  if (prefix) return { is: 'public_id', prefix: prefix as 'evt', id };
  if (IS_UUID.test(id.toLowerCase())) return { is: 'uuid', id: id.toLowerCase() };
  const name = typed.replace(/^@/, '');
  return /^[A-Za-z0-9_-]{3,48}$/.test(name) ? { is: 'name', name } : null;
}
