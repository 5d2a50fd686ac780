// A hot request is admitted by one statement: whom its credential stands for, the request's number in
// its rate window, and the access that is asked about, all read when it is answered.
import type pg from 'pg';
import { keyHoldersOf, type KeyHolder } from '../catalog/catalog.store.ts';
import { bearersOf, type Bearer } from '../identity/oauth/token.store.ts';
import type { Count } from '../limits/limits.store.ts';
import { hashCredential, isWellFormedCredential } from '../platform/ids.ts';
import { readAccess } from './access.store.ts';
import {
  shareAdmission,
  type About,
  type AdmissionRow,
  type Given,
} from './admission-statement.store.ts';
import type { AccessKey } from './entitlement.store.ts';
import type { Union } from './union.ts';

export type Admission<Holder> = {
  holder: Holder;
  count: Count;
  /** Null where none was asked about. */
  access: Union | null;
};

type Question<Asked extends About> = { credential: string; window: string; about: Asked };

type KeyRow = AdmissionRow & {
  key_id: string;
  product_id: string;
  mode: KeyHolder['mode'];
};

type BearerRow = Omit<Bearer, 'personId' | 'scopes' | 'at'> & {
  person_id: string;
  scope: string;
  is_gone: boolean;
  at_ms: number;
};

type TokenRow = AdmissionRow & BearerRow & { is_asked: boolean };

/** In SQL, of `asked`: what BearerRow has. */
const BEARER_COLUMNS = `asked.person_id, "clientId", "productId", asked.scope, handle,
  "displayName", "imageName", "isOwnTeam", at_ms, is_gone`;

const findKeys = shareAdmission<KeyRow, string | null>({
  name: 'key',
  holdersOf: keyHoldersOf,
  columns: 'asked.key_id, asked.product_id, asked.mode',
  about: 'uuid',
});

/** Null for a key that is unknown, expired or revoked, which is not counted. */
export async function admitKey(
  pool: pg.Pool,
  question: Question<string | null>,
): Promise<Admission<KeyHolder> | null> {
  const { credential } = question;
  const isOurs =
    isWellFormedCredential(credential, 'gk_live_') ||
    isWellFormedCredential(credential, 'gk_test_');
  const row = isOurs ? await findKeys(pool, toGiven(question)) : null;
  if (!row) return null;
  const { key_id: keyId, product_id: productId, mode } = row;
  const { about: personId } = question;
  const access = personId === null ? null : await findAccess(pool, row, { productId, personId });
  return { holder: { keyId, productId, mode }, count: toCount(row), access };
}

const findTokens = shareAdmission<TokenRow, boolean>({
  name: 'token',
  holdersOf: bearersOf,
  columns: `${BEARER_COLUMNS}, asked.product_id is not null as is_asked`,
  about: 'boolean',
});

/** Null and gone ones are not counted. Gone: the token's person or client was deleted. */
export async function admitToken(
  pool: pg.Pool,
  question: Question<boolean>,
): Promise<Admission<Bearer> | 'gone' | null> {
  if (!isWellFormedCredential(question.credential, 'gat_')) return null;
  const row = await findTokens(pool, toGiven(question));
  if (!row) return null;
  if (row.is_gone) return 'gone';
  const holder = toBearer(row);
  const { personId, productId } = holder;
  const key = row.is_asked && productId !== null && { productId, personId };
  const access = key ? await findAccess(pool, row, key) : null;
  return { holder, count: toCount(row), access };
}

function toBearer(row: BearerRow): Bearer {
  const { person_id: personId, clientId, productId, handle } = row;
  const { displayName, imageName, isOwnTeam } = row;
  const bearer = { personId, clientId, productId, handle, displayName, imageName, isOwnTeam };
  return { ...bearer, scopes: row.scope.split(' '), at: new Date(row.at_ms) };
}

function toGiven<Asked extends About>({ about, ...asker }: Question<Asked>): Given<Asked> {
  return { ...nameWindow(asker), about };
}

/** A credential is named in its window without being usable as one. */
export function nameWindow({ credential, window }: { credential: string; window: string }) {
  const hash = hashCredential(credential);
  return { hash, bucket: `${window}:${hash.toString('base64url').slice(0, 22)}` };
}

export function toCount({ n, resetS }: Count): Count {
  return { n, resetS };
}

/** As it is stored, or read with its sources where time or a membership has a say. */
async function findAccess(pool: pg.Pool, row: AdmissionRow, key: AccessKey): Promise<Union> {
  const { is_active: isActive, type, source, ends_at: endsAt } = row;
  return isActive === null ? readAccess(pool, key) : { isActive, type, source, endsAt };
}
