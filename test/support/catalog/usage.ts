import { hashCredential } from '../../../domain/shared/ids.ts';
import type { TestApi } from '../http/api.ts';

export type UsageRow = {
  day: string;
  first_kind: string;
  is_qualifying: boolean;
  sessions: number;
  heartbeats: number;
  activities: number;
  profile_reads: number;
  is_in_order: boolean;
};

type Key = { productId: string; personId: string };

/** A usage report as a product sends it; the body may be anything. */
export function report(api: Pick<TestApi, 'request'>, credential: string, body: unknown) {
  return api.request('/api/v1/usage', {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

export async function answerTo(
  api: Pick<TestApi, 'request'>,
  credential: string,
  body: unknown,
): Promise<unknown> {
  return (await report(api, credential, body)).json();
}

/** How often a credential was counted in a window by now. */
export async function countIn(
  { test }: Pick<TestApi, 'test'>,
  { window, credential }: { window: string; credential: string },
): Promise<number> {
  const id = hashCredential(credential).toString('base64url').slice(0, 22);
  const [row] = await test.query<{ n: number }>(
    'select coalesce(sum(n), 0)::int as n from rate_window where bucket = $1',
    [`${window}:${id}`],
  );
  return row!.n;
}

/** The days of a person on a product, the first one first. */
export function daysOf({ test }: Pick<TestApi, 'test'>, { productId, personId }: Key) {
  return test.query<UsageRow>(
    `select day::text, first_kind, is_qualifying, sessions, heartbeats, activities, profile_reads,
       first_at <= last_at as is_in_order
     from usage_day where product_id = $1 and person_id = $2 order by day`,
    [productId, personId],
  );
}

/** Moves the database's clock to so many milliseconds before its next midnight, in UTC. */
export async function goBeforeMidnight({ test }: Pick<TestApi, 'test'>, milliseconds: number) {
  const [row] = await test.query<{ left: number }>(
    `select (86400 - extract(epoch from gatehouse_now())::numeric % 86400)::float * 1000 as left`,
  );
  await test.advance(row!.left - milliseconds);
}
