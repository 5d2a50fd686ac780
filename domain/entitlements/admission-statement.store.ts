// One statement for all who ask together, or for one: it looks credentials up, counts those that hold,
// and reads the stored access that is asked about. In one snapshot, so that nothing is remembered.
import {
  COUNT_MANY,
  COUNT_ONE,
  countBehind,
  placeInTurn,
  type Count,
} from '../limits/limits.store.ts';
import { toArrayParameter, toByteaArrayParameter } from '../platform/array-parameter.ts';
import { shareStatement } from '../platform/batch.ts';
import { ACCESS_JOIN, STORED_ACCESS, type StoredAccess } from './access.store.ts';

/** The person, or whether; null where nothing is asked. */
export type About = string | boolean | null;

export type Given<Asked extends About> = { hash: Buffer; bucket: string; about: Asked };

export type AdmissionRow = StoredAccess & Count;

type Kind = {
  name: string;
  /** In SQL, who each of `given` stands for, and what is asked about. */
  holdersOf(given: string): string;
  /** In SQL, what of them is wanted. */
  columns: string;
  /** The type of the question. */
  about: 'uuid' | 'boolean';
};

// What is not needed costs time in both processes.
const answerOf = (columns: string) => `
  select ${columns}, counted.n, counted."resetS", ${STORED_ACCESS}
  from asked left join counted using (bucket) ${ACCESS_JOIN}`;

type Placed = { place: string };

export function shareAdmission<Row extends AdmissionRow, Asked extends About>(kind: Kind) {
  const { name } = kind;
  const one = admitOne(kind);
  const many = admitMany(kind);
  return shareStatement<Given<Asked>, Row | null>({
    async one(pool, { hash, bucket, about }) {
      const values = [hash, bucket, about];
      const { rows } = await pool.query<Row>({ name: `admit_${name}`, text: one, values });
      return rows[0] ?? null;
    },
    async many(pool, given) {
      const buckets = given.map(({ bucket }) => bucket);
      const values = [
        toByteaArrayParameter(given.map(({ hash }) => hash)),
        toArrayParameter(buckets),
        toArrayParameter(given.map(({ about }) => about)),
      ];
      const { rows } = await pool.query<Row & Placed>({
        name: `admit_${name}s`,
        text: many,
        values,
      });
      return placeInTurn(rows, countBehind(buckets));
    },
  });
}

function admitOne(kind: Kind): string {
  const { holdersOf, columns, about } = kind;
  const given = `(values ($1::bytea, $2::text, $3::${about}, 1)) given (hash, bucket, about, place)`;
  return `with asked as materialized (${holdersOf(given)}), counted as (${COUNT_ONE}) ${answerOf(columns)}`;
}

function admitMany(kind: Kind): string {
  const { holdersOf, columns, about } = kind;
  const given = `unnest($1::bytea[], $2::text[], $3::${about}[]) with ordinality given (hash, bucket, about, place)`;
  return `with asked as materialized (${holdersOf(given)}), counted as (${COUNT_MANY}) ${answerOf(`place, ${columns}`)}`;
}
