import type pg from 'pg';

export const PEOPLE = 200_000;

/** The n-th person's identifier, as an expression of SQL; people count from 1. */
export function personId(n: string): string {
  return `('01900000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
}

/** The identifier for one number. */
export function personIdOf(n: number): string {
  return `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
}

export async function loadPeople(pool: pg.Pool): Promise<void> {
  await pool.query(
    `insert into person (id, handle, display_name, email, email_verified_at)
     select ${personId('n')}, 'person_' || n, 'Person ' || n, 'person_' || n || '@example.com', now()
     from generate_series(1, ${PEOPLE}) n`,
  );
  await pool.query('vacuum analyze person');
}
