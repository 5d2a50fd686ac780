import test from 'ava';
import { createDeliveryRows } from '../../../support/webhooks/delivery-rows.ts';
import { noticeOf } from '../../../support/http/arrival.ts';
import { startTeams } from '../../../support/identity/teams.ts';

const teams = await startTeams();
const { api } = teams;
test.after.always(() => api.close());
const rows = createDeliveryRows(api.test);

test('after a press the page looks again until the attempt is recorded', async (t) => {
  const team = await teams.team(['developer']);
  const product = await teams.productOf(team);
  const url = 'https://hooks.example/in';
  const { id: endpointId } = await api.seed.endpoint({ productId: product.id, url });
  const made = { productId: product.id, endpointId };
  const path = `/console/products/${product.slug}/deliveries`;
  const { browser } = team.members.developer;
  const deliveryId = await rows.delivery({
    ...made,
    status: 'retrying',
    step: 2,
    dueInMinutes: 30,
  });
  const here = `${path}/${deliveryId}`;
  const refreshOf = async (query = '') => (await browser.get(here + query)).headers.get('refresh');
  t.is(await refreshOf(), null, 'half an hour ahead, nothing is awaited');
  const fields = { run: '1', step: '2' };
  const pressed = await browser.submit(path, { action: `${here}/retry-now`, fields });
  t.is(noticeOf(pressed), 'delivery_retried_now');
  t.regex((await refreshOf()) ?? '', /^2; url=.*\/deliveries\/evt_\w+\?since=\d+$/);
  const now = Math.floor(Date.now() / 1_000);
  t.is(await refreshOf(`?since=${now - 60}`), '34', 'ever more slowly');
  t.is(await refreshOf(`?since=${now - 901}`), null, 'and not for good');
  t.regex(await (await browser.get(here)).text(), /data-awaited/);
  await api.test.query(
    `update delivery_state set step = 3, due_at = gatehouse_now() + interval '1 hour' where delivery_id = $1`,
    [deliveryId],
  );
  t.is(await refreshOf(), null, 'the attempt has failed and is recorded');
  t.notRegex(await (await browser.get(here)).text(), /data-awaited/);
});
