import test from 'ava';
import { addUpChecks } from '../../../domain/usage/check-count.query.ts';
import { createDeliveryRows } from '../../support/webhooks/delivery-rows.ts';
import { startTeams } from '../../support/identity/teams.ts';

const teams = await startTeams();
const { api } = teams;
test.after.always(() => api.close());
const rows = createDeliveryRows(api.test);

const findingsIn = (html: string) =>
  [...html.matchAll(/data-issue="(\w+)"/g)].map(([, code]) => code!);

test('diagnostics say what is misconfigured and count what happens', async (t) => {
  const team = await teams.team(['viewer']);
  const product = await teams.productOf(team);
  const path = `/console/products/${product.slug}/diagnostics`;
  const { browser } = team.members.viewer;
  const read = async () => (await browser.get(path)).text();
  t.deepEqual(findingsIn(await read()), ['no_oauth_client', 'no_endpoint']);

  await api.seed.client({ product, name: 'Web' });
  const url = 'https://hooks.example/in';
  const { id: endpointId } = await api.seed.endpoint({ productId: product.id, url });
  t.regex(await read(), /data-healthy/);

  const made = { productId: product.id, endpointId };
  await rows.delivery({ ...made, status: 'dead' });
  await rows.delivery({ ...made, status: 'succeeded' });
  await rows.delivery({ ...made, status: 'dead', minutesAgo: 20 * 1_440 });
  const person = await api.seed.person();
  for (let n = 0; n < 3; n += 1) {
    const headers = { authorization: `Bearer ${product.liveKey}` };
    await api.request(`/api/v1/entitlements?user_id=${person.id}`, { headers });
  }
  await api.usage.close();
  await addUpChecks(api.database.pool, 100);
  const html = await read();
  t.deepEqual(findingsIn(html), ['dead_deliveries']);
  t.regex(html, /data-outcome="succeeded">\s*<span class="figure">1</);
  t.regex(html, /data-outcome="failed">\s*<span class="figure">1</);
  const today = new Date().toISOString().slice(0, 10);
  t.regex(html, new RegExp(`${today}</div></td><td data-heading="Live checks"><div>3</div>`));
  t.regex(html, /data-heading="Last used"/);
});

test('a product that is sold elsewhere has nothing to mend, one of others is not there', async (t) => {
  const team = await teams.team([]);
  const product = await teams.productOf(team, { delivery: 'affiliate' });
  const path = `/console/products/${product.slug}/diagnostics`;
  t.regex(await (await team.members.owner.browser.get(path)).text(), /sold elsewhere/);
  const stranger = await teams.signedIn();
  t.is((await stranger.browser.get(path)).status, 404);
});
