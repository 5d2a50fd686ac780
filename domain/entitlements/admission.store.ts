// A hot request is admitted by one statement: whom its credential stands for, the request's number in
// its rate window, and the access that is asked about, all read when it is answered.
import type pg from 'pg';
import { KEY_HOLDERS, type KeyHolder } from '../catalog/catalog.store.ts';
import { BEARERS, type Bearer } from '../identity/oauth/token.store.ts';
import { COUNT_ASKED, COUNT_COLUMNS, type Count } from '../limits/limits.store.ts';
import { shareStatement } from '../platform/batch.ts';
import { hashCredential, isWellFormedCredential } from '../platform/ids.ts';
import { ACCESS_COLUMNS, ACCESS_JOINS, toUnion, type AccessRow } from './access.store.ts';
import type { Union } from './union.ts';

type About = string | boolean | null;

export type Admission<Holder> = {
  holder: Holder;
  count: Count;
  /** Null where none was asked about. */
  access: Union | null;
};

type Question<Asked extends About> = { credential: string; window: string; about: Asked };

type Given<Asked extends About> = { hash: Buffer; bucket: string; about: Asked };

type AdmissionRow = AccessRow & Count & { place: string; product_id: string | null };

type KeyRow = AdmissionRow &
  Omit<KeyHolder, 'productId'> & { product_id: string; person_id: string | null };

type TokenRow = AdmissionRow &
  Omit<Bearer, 'personId' | 'scopes'> & { person_id: string; scope: string; is_gone: boolean };

const findKeys = shareAdmission<KeyRow, string | null>('key', {
  holders: KEY_HOLDERS,
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
  const { keyId, product_id: productId, mode } = row;
  return { holder: { keyId, productId, mode }, ...toAnswer(row, row.person_id !== null) };
}

const findTokens = shareAdmission<TokenRow, boolean>('token', {
  holders: BEARERS,
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
  const { person_id: personId, clientId, productId, handle, displayName, scope } = row;
  const bearer = { personId, clientId, productId, handle, displayName, scopes: scope.split(' ') };
  return { holder: bearer, ...toAnswer(row, row.product_id !== null) };
}

/** A credential is named in its window without being usable as one. */
function toGiven<Asked extends About>({
  credential,
  window,
  about,
}: Question<Asked>): Given<Asked> {
  const hash = hashCredential(credential);
  return { hash, bucket: `${window}:${hash.toString('base64url').slice(0, 22)}`, about };
}

function toAnswer(row: AdmissionRow, isAsked: boolean) {
  return { count: { n: row.n, resetS: row.resetS }, access: isAsked ? toUnion(row) : null };
}

function shareAdmission<Row extends AdmissionRow, Asked extends About>(
  kind: string,
  { holders, about }: { holders: string; about: 'uuid' | 'boolean' },
) {
  const one = admissionOf(
    `(values ($1::bytea, $2::text, $3::${about}, 1::bigint)) given (hash, bucket, about, place)`,
    holders,
  );
  const many = admissionOf(
    `unnest($1::bytea[], $2::text[], $3::${about}[]) with ordinality given (hash, bucket, about, place)`,
    holders,
  );
  return shareStatement<Given<Asked>, Row | null>({
    async one(pool, { hash, bucket, about }) {
      const values = [hash, bucket, about];
      const { rows } = await pool.query<Row>({ name: `admit_${kind}`, text: one, values });
      return rows[0] ?? null;
    },
    async many(pool, given) {
      const { rows } = await pool.query<Row>({
        name: `admit_${kind}s`,
        text: many,
        values: [
          given.map(({ hash }) => hash),
          given.map(({ bucket }) => bucket),
          given.map(({ about }) => about),
        ],
      });
      const byPlace = new Map(rows.map((row) => [Number(row.place), row]));
      return given.map((_, index) => byPlace.get(index + 1) ?? null);
    },
  });
}

function admissionOf(given: string, holders: string): string {
  return `
    with given as materialized (select * from ${given}),
    asked as materialized (${holders}),
    counted as (${COUNT_ASKED})
    select asked.*, ${COUNT_COLUMNS}, ${ACCESS_COLUMNS}
    from asked left join counted using (bucket) ${ACCESS_JOINS}`;
}
