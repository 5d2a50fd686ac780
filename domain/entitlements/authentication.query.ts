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
import {
  toArrayParameter,
  toByteaArrayParameter,
} from '../../platform/database/array-parameter.ts';
import { shareStatement } from '../../platform/database/batcher.ts';
import { readJson } from '../../platform/database/json-statement.ts';
import { ACCESS_JOIN, STORED_ACCESS, toStored, type StoredAccess } from './access.query.ts';
import type { EffectiveAccess } from './effective-access.ts';

/** The person, or a yes or no; null when nothing is asked. */
export type About = string | boolean | null;

export type Given<Asked extends About> = { hash: Buffer; bucket: string; about: Asked };

export type AuthenticatedRow<Holder> = Count & {
  place: number;
  holder: Holder;
  /** Null when the access has to be read with its sources; meaningless when nothing is asked. */
  stored: EffectiveAccess | null;
};

type Kind = {
  name: string;
  /** SQL: the holder of each credential of `given`, and the question. */
  holdersOf(given: string): string;
  /** SQL: the holder as JSON. */
  holder: string;
  /** The type of the question. */
  about: 'uuid' | 'boolean';
};

type Row<Holder> = [
  place: number,
  n: number,
  resetS: number,
  holder: Holder,
  ...stored: StoredAccess,
];

const answerOf = ({ holder }: Kind) => `
  json_build_array(place, counted.n, ${resetOf('second')}, ${holder}, ${STORED_ACCESS})`;

export function shareAuthentication<Holder, Asked extends About>(kind: Kind) {
  const one = { name: `authenticate_${kind.name}`, text: authenticateOne(kind) };
  const many = { name: `authenticate_${kind.name}s`, text: authenticateMany(kind) };
  return shareStatement<Given<Asked>, AuthenticatedRow<Holder> | null>({
    async one(pool, { hash, bucket, about }) {
      const values = [hash, bucket, about === null ? null : String(about)];
      const [row] = await readJson<Row<Holder>>(pool, one, values);
      return row ? toAuthenticated(row) : null;
    },
    async many(pool, given) {
      const buckets = given.map(({ bucket }) => bucket);
      const values = [
        toByteaArrayParameter(given.map(({ hash }) => hash)),
        toArrayParameter(buckets),
        toArrayParameter(given.map(({ about }) => about)),
      ];
      const rows = await readJson<Row<Holder>>(pool, many, values);
      return rankRows(rows.map(toAuthenticated), countLater(buckets));
    },
  });
}

function toAuthenticated<Holder>(row: Row<Holder>): AuthenticatedRow<Holder> {
  const [place, n, resetS, holder, ...stored] = row;
  return { place, n, resetS, holder, stored: toStored(stored) };
}

function authenticateOne(kind: Kind): string {
  const given = `(values ($1::bytea, $2::text, $3::${kind.about}, 1, ${SECOND})) given (hash, bucket, about, place, second)`;
  return `with asked as materialized (${kind.holdersOf(given)}), counted as (${COUNT_ONE})
    select ${answerOf(kind)} from asked left join counted on true ${ACCESS_JOIN}`;
}

function authenticateMany(kind: Kind): string {
  const given = `(select *, ${SECOND_ONCE} as second from
    unnest($1::bytea[], $2::text[], $3::${kind.about}[]) with ordinality each (hash, bucket, about, place)) given`;
  return `with asked as materialized (${kind.holdersOf(given)}), counted as (${COUNT_MANY})
    select ${answerOf(kind)} from asked left join counted using (bucket) ${ACCESS_JOIN}`;
}
