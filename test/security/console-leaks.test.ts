import test from 'ava';
import { recordAudit } from '../../domain/audit/audit.repository.ts';
import { createDeliveryRows } from '../support/webhooks/delivery-rows.ts';
import { startTeams } from '../support/identity/teams.ts';
import { noticeOf } from '../support/http/arrival.ts';

const teams = await startTeams();
const { api } = teams;
const team = await teams.team(['viewer', 'developer']);
const product = await teams.productOf(team, { state: 'unlisted' });
const { viewer, developer } = team.members;
const operator = await teams.signedIn(await api.seed.person({ isOperator: true }));
const URL_WITH_TOKEN = 'https://receiver.example/hook/tok_en_in_path?key=tok_en_in_query';
const seeded = { productId: product.id, url: URL_WITH_TOKEN };
const { id: endpointId } = await api.seed.endpoint(seeded);
// Lists name an endpoint where there are several.
await api.seed.endpoint({ productId: product.id, slot: 2, url: 'https://other.example/in' });
const deliveries = createDeliveryRows(api.test);
const retrying = { productId: product.id, endpointId, status: 'retrying', step: 1 } as const;
const deliveryId = await deliveries.delivery(retrying);
await deliveries.attempt({ deliveryId, statusCode: 500, step: 0 });
test.after.always(() => api.close());

const PATH = `/console/products/${product.slug}`;
const read = async (by: typeof viewer, path: string) => (await by.browser.get(path)).text();

/** The pages that name an endpoint. */
const PAGES = [
  '',
  '/endpoints',
  `/endpoints/${endpointId}`,
  '/deliveries',
  `/deliveries/${deliveryId}`,
  '/recoveries',
  '/diagnostics',
  '/integrate',
];

test('a viewer learns no token from the address of an endpoint, the host alone', async (t) => {
  await api.test.query('update webhook_endpoint set failing_since = gatehouse_now()');
  for (const page of PAGES) {
    const shown = await read(viewer, PATH + page);
    t.false(shown.includes('tok_en_in'), page);
    t.true((await read(developer, PATH + page)).includes('tok_en_in_path'), page);
    // Viewers have no form that starts a recovery.
    if (page !== '/recoveries') t.true(shown.includes('receiver.example'), page);
  }
});

test("a viewer learns nobody's IP address from the audit trails", async (t) => {
  await recordAudit(api.database.em(), {
    by: { personId: developer.person.id, ip: '192.0.2.77' },
    action: 'client.created',
    subject: 'x',
    teamId: team.id,
    productId: product.id,
  });
  for (const path of [`${PATH}/audit`, `${team.path}/audit`]) {
    const shown = await read(viewer, path);
    t.true(shown.includes('client.created') && !shown.includes('192.0.2.77'), path);
    t.true((await read(developer, path)).includes('192.0.2.77'), path);
  }
});

test("no builder is led into Temporal, whose pages show everybody's workflows", async (t) => {
  const page = `${PATH}/deliveries/${deliveryId}`;
  t.false((await read(developer, page)).includes('/namespaces/'));
  t.true((await read(operator, page)).includes('/namespaces/'));
  for (const reader of [developer, operator]) {
    t.false(
      (await read(reader, PATH)).includes('/namespaces/'),
      'the overview leads to the delivery',
    );
  }
});

test('a page that is only opened changes nothing at a payout account', async (t) => {
  const { owner } = team.members;
  const connected = await owner.browser.submit(`${PATH}/selling`, {
    action: `${PATH}/selling/payouts`,
    fields: { action: 'connect' },
  });
  t.is(connected.status, 303);
  const trail = async () => (await teams.trailOf(team.id)).length;
  const before = await trail();
  const answer = await owner.browser.get(`${PATH}/selling/payouts`);
  t.is(noticeOf(answer), 'payouts_returned');
  t.is(await trail(), before);
});
