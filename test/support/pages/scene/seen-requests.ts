import type { TestApi } from '../../http/api.ts';

/** Requests of a key and of a client, enough for a second page. */
export async function addRequests({ test }: Pick<TestApi, 'test'>, productId: string) {
  await test.query(
    `insert into api_request (id, product_id, api_key_id, client_id, route, status, error_code,
       request_id, created_at)
     select time_ordered_id(), $1, case when n % 3 > 0 then k.id end, case when n % 3 = 0 then c.id end,
       'GET /api/v1/entitlements', case when n % 5 = 0 then 400 else 200 end,
       case when n % 5 = 0 then 'invalid_request' end, 'req_' || repeat(n::text, 12), gatehouse_now()
     from generate_series(10, 69) n,
       (select id from api_key where product_id = $1 limit 1) k,
       (select id from oauth_client where product_id = $1 limit 1) c`,
    [productId],
  );
}
