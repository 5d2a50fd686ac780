import { addQueuedImport } from '../catalog/imports.ts';
import type { TestApi } from './api.ts';
import { createDeliveryRows } from '../webhooks/delivery-rows.ts';
import { createSales } from '../purchases/sales.ts';
import type { SeedPerson } from '../catalog/seed.ts';

/** One of each kind that the console can name, by the name in its path. */
export async function ownAll(api: TestApi, owner: SeedPerson): Promise<Record<string, string>> {
  const { query } = api.test;
  const sales = createSales({ testDatabase: api.test, database: api.database });
  const product = await api.seed.product({ owner, prices: { USD: 1_900 } });
  const member = await api.seed.person();
  const [team] = await query<{ id: string }>(
    `insert into team (id, name) values (gen_random_uuid(), 'Team') returning id`,
  );
  await query(
    `insert into team_member (team_id, person_id, role) values ($1, $2, 'owner'), ($1, $3, 'viewer')`,
    [team!.id, owner.id, member.id],
  );
  const [invitation] = await query<{ id: string }>(
    `insert into team_invitation (id, team_id, address, role, invited_by, expires_at)
     values (gen_random_uuid(), $1, 'a@example.com', 'viewer', $2, gatehouse_now() + interval '1 day')
     returning id`,
    [team!.id, owner.id],
  );
  const grant = `grant_0${product.id.replaceAll('-', '').slice(-25).toUpperCase()}`;
  await api.seed.grant(
    { productId: product.id, personId: member.id },
    { type: 'complimentary', source: grant },
  );
  const { id: endpoint } = await api.seed.endpoint({
    productId: product.id,
    url: 'https://example.com/hook',
  });
  const made = { productId: product.id, endpointId: endpoint };
  const [key] = await query<{ id: string }>(
    'select id from api_key where product_id = $1 limit 1',
    [product.id],
  );
  const [recovery] = await query<{ id: string }>(
    `insert into recovery (id, product_id, statuses, since, until, total, status, started_by)
     values (gen_random_uuid(), $1, '{dead}', now() - interval '1 day', now(), 0, 'completed', $2)
     returning id`,
    [product.id, owner.id],
  );
  const sale = await sales.paidSale(await sales.orderOf(product, api.seed));
  return {
    ref: product.slug,
    team: team!.id,
    person: member.id,
    invitation: invitation!.id,
    grant,
    endpoint,
    client: (await api.seed.client({ product })).clientId,
    key: key!.id,
    delivery: await createDeliveryRows(api.test).delivery({ ...made, status: 'dead' }),
    recovery: recovery!.id,
    release: await insertRelease(api, product.id),
    import: await addQueuedImport(api.database, product.id),
    purchase: sale.purchaseId,
    payment: String((await sales.paymentOf(sale))['id']),
    currency: 'USD',
    month: new Date().toISOString().slice(0, 7),
  };
}

async function insertRelease(api: TestApi, productId: string): Promise<string> {
  const [release] = await api.test.query<{ id: string }>(
    `insert into release (id, product_id, version, source)
     values (gen_random_uuid(), $1, '1.0', 'hand') returning id`,
    [productId],
  );
  return release!.id;
}
