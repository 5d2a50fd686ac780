import type { TestApi } from '../../http/api.ts';

type Given = { productId: string; builderId: string };

/** Access that a builder gave: open, ahead, ended and revoked. */
export async function addAccess({ test }: Pick<TestApi, 'test'>, given: Given) {
  await test.query(
    `insert into access_grant (id, product_id, person_id, type, source, starts_at, ends_at,
       withdrawn_at, granted_by, created_at)
     select gen_random_uuid(), $1, $2, 'complimentary', 'grant_' || lpad(n::text, 26, '0'),
       gatehouse_now() + starts, gatehouse_now() + ends, gatehouse_now() - withdrawn, $2,
       gatehouse_now() - n * interval '1 minute'
     from (values (1, interval '-2 days', null::interval, null::interval),
       (2, interval '2 days', interval '9 days', null),
       (3, interval '-20 days', interval '-6 days', null),
       (4, interval '-30 days', null, interval '3 days')) as g (n, starts, ends, withdrawn)`,
    [given.productId, given.builderId],
  );
}
