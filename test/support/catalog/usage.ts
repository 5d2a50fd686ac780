import { hashCredential } from '../../../domain/shared/ids.ts';
import type { TestApi } from '../http/api.ts';

export type UsageRow = {
  day: string;
  session: boolean;
  heartbeat: boolean;
  activity: boolean;
  profile_read: boolean;
  by_key: boolean;
  is_qualifying: boolean;
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
    `select to_char(month + place, 'YYYY-MM-DD') as day, session_days >> place & 1 = 1 as session,
       heartbeat_days >> place & 1 = 1 as heartbeat, activity_days >> place & 1 = 1 as activity,
       profile_read_days >> place & 1 = 1 as profile_read, key_days >> place & 1 = 1 as by_key,
       qualifying_days >> place & 1 = 1 as is_qualifying, first_at <= last_at as is_in_order
     from usage_month cross join generate_series(0, 30) place
     where product_id = $1 and person_id = $2 and (session_days | heartbeat_days | activity_days
       | profile_read_days | key_days) >> place & 1 = 1
     order by day`,
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
