// One statement for one request or many: it looks the credentials up, counts those that are valid,
// and reads the stored access of the question. It reads one snapshot, so nothing has to be
// remembered.
import {
  COUNT_MANY,
  COUNT_ONE,
  countLater,
  rankRows,
  resetOf,
  SECOND,
  SECOND_ONCE,
  type Count,
} from '../limits/rate-window.query.ts';
import { keyHoldersOf, type KeyHolder } from '../catalog/keys/api-key.query.ts';
import { bearersOf, type Bearer } from '../oauth/tokens/bearer.query.ts';
import { toArrayParameter } from '../../platform/database/array-parameter.ts';
import { shareStatement } from '../../platform/database/batcher.ts';
import { ACCESS_JOIN, STORED_ACCESS, type StoredAccess } from './access.query.ts';

/** The person, or a yes or no; null when nothing is asked. */
export type About = string | boolean | null;

export type Question<Asked extends About> = { hash: Buffer; bucket: string; about: Asked };

/** The columns of the holder, with those of the count and of the access. */
type Authenticated<Holder> = Holder & Count & StoredAccess & { place: string };

type Kind = {
  name: string;
  /** SQL: the holder of each credential of `given`, and the question. */
  holdersOf(given: string): string;
  /** SQL: the columns of the holder. */
  holder: string;
  /** The type of the question. */
  about: 'uuid' | 'boolean';
};

const columnsOf = ({ holder }: Kind) => `
  place, counted.n, ${resetOf('second')} as "resetS", ${holder}, ${STORED_ACCESS}`;

function shareAuthentication<Holder, Asked extends About>(kind: Kind) {
  const one = { name: `authenticate_${kind.name}`, text: authenticateOne(kind) };
  const many = { name: `authenticate_${kind.name}s`, text: authenticateMany(kind) };
  return shareStatement<Question<Asked>, Authenticated<Holder> | null>({
    // A single caller waits a third less for it.
    async one(pool, { hash, bucket, about }) {
      const values = [hash, bucket, about];
      const { rows } = await pool.query<Authenticated<Holder>>({ ...one, values });
      return rows[0] ?? null;
    },
    async many(pool, questions) {
      const buckets = questions.map(({ bucket }) => bucket);
      const values = [
        toArrayParameter(questions.map(({ hash }) => hash)),
        toArrayParameter(buckets),
        toArrayParameter(questions.map(({ about }) => about)),
      ];
      const { rows } = await pool.query<Authenticated<Holder>>({ ...many, values });
      return rankRows(rows, countLater(buckets));
    },
  });
}

function authenticateOne(kind: Kind): string {
  const given = `(values ($1::bytea, $2::text, $3::${kind.about}, 1, ${SECOND})) given (hash, bucket, about, place, second)`;
  return `with asked as materialized (${kind.holdersOf(given)}), counted as (${COUNT_ONE})
    select ${columnsOf(kind)} from asked left join counted on true ${ACCESS_JOIN}`;
}

function authenticateMany(kind: Kind): string {
  const given = `(select *, ${SECOND_ONCE} as second from
    unnest($1::bytea[], $2::text[], $3::${kind.about}[]) with ordinality each (hash, bucket, about, place)) given`;
  return `with asked as materialized (${kind.holdersOf(given)}), counted as (${COUNT_MANY})
    select ${columnsOf(kind)} from asked left join counted using (bucket) ${ACCESS_JOIN}`;
}

export const findKeys = shareAuthentication<KeyHolder, string | null>({
  name: 'key',
  holdersOf: keyHoldersOf,
  holder: 'key_id as "keyId", asked.product_id as "productId", mode',
  about: 'uuid',
});

export type TokenHolder = Omit<Bearer, 'scopes'> & {
  scope: string;
  isGone: boolean;
  isAsked: boolean;
};

/** In SQL, of `bearersOf`. */
export const TOKEN_COLUMNS = `
  asked.person_id as "personId", "clientId", "productId", asked.scope, handle, "displayName",
  "imageName", "isOwnTeam", at, is_gone as "isGone", asked.product_id is not null as "isAsked"`;

export const findTokens = shareAuthentication<TokenHolder, boolean>({
  name: 'token',
  holdersOf: bearersOf,
  holder: TOKEN_COLUMNS,
  about: 'boolean',
});
