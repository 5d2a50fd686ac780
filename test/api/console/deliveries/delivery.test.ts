import test from 'ava';
import { createDeliveryRows } from '../../../support/webhooks/delivery-rows.ts';
import { startTeams } from '../../../support/identity/teams.ts';
import { noticeOf } from '../../../support/http/arrival.ts';

const teams = await startTeams();
const { api } = teams;
test.after.always(() => api.close());
const rows = createDeliveryRows(api.test);

const PAYLOAD = '{"id":"evt_X","data":{"user_id":"somebody & <others>"}}';

async function scene() {
  const team = await teams.wholeTeam();
  const product = await teams.productOf(team);
  const url = 'https://hooks.example/in';
  const { id: endpointId } = await api.seed.endpoint({ productId: product.id, url });
  const made = { productId: product.id, endpointId, body: PAYLOAD };
  const path = `/console/products/${product.slug}/deliveries`;
  return { team, product, endpointId, made, path };
}

async function dead(made: Parameters<typeof rows.delivery>[0]) {
  return rows.delivery({ ...made, status: 'dead', step: 5 });
}

test('a delivery shows its attempts: number, start, duration, status, error, address, body', async (t) => {
  const { team, made, path } = await scene();
  const deliveryId = await rows.delivery({
    ...made,
    status: 'retrying',
    step: 2,
    dueInMinutes: 5,
  });
  const refused = { deliveryId, step: 0, error: 'refused', durationMs: 4, ip: '192.0.2.44' };
  await rows.attempt(refused);
  await rows.attempt({
    deliveryId,
    step: 1,
    statusCode: 500,
    error: 'http_status',
    wasInterrupted: true,
    durationMs: 1_234,
    bodyStart: '<b>broken</b>',
  });
  const html = await (await team.members.developer.browser.get(`${path}/${deliveryId}`)).text();
  t.regex(html, /Connection refused/);
  t.regex(html, /192\.0\.2\.44/);
  t.regex(html, /Retry 1 of 5/);
  t.regex(html, /1,234\sms/);
  t.regex(html, /was interrupted/);
  t.regex(html, /&lt;b&gt;broken&lt;\/b&gt;/);
  t.regex(html, /Retry 2 of 5, due <time/);
  t.is([...html.matchAll(/not before/g)].length, 3);
  t.notRegex(html, /workflows\/delivery%3Aevt_/, 'Temporal is for operators');
});

test('it shows the bytes and headers that are sent, the signature masked', async (t) => {
  const { team, made, path, endpointId } = await scene();
  const deliveryId = await rows.delivery(made);
  const { browser } = team.members.developer;
  const html = await (await browser.get(`${path}/${deliveryId}`)).text();
  t.regex(html, /somebody &amp; &lt;others&gt;/);
  t.regex(html, /service-event: purchase\.completed/);
  t.regex(html, /user-agent: Gatehouse-Webhooks\/1\.0/);
  t.regex(html, /service-signature: t=\.\.\.,v1=\*\*\*/);
  t.notRegex(html, /service-signature-previous/);
  await api.test.query(
    `update webhook_endpoint set previous_until = gatehouse_now() + interval '1 hour' where id = $1`,
    [endpointId],
  );
  t.regex(
    await (await browser.get(`${path}/${deliveryId}`)).text(),
    /service-signature-previous: t=\.\.\.,v1=\*\*\*/,
  );
});

test('a viewer sees deliveries with their payloads masked, and retries nothing', async (t) => {
  const { team, made, path } = await scene();
  const deliveryId = await dead(made);
  const echo = 'we got somebody';
  await rows.attempt({
    deliveryId,
    step: 0,
    statusCode: 500,
    error: 'http_status',
    bodyStart: echo,
  });
  const { browser } = team.members.viewer;
  const html = await (await browser.get(`${path}/${deliveryId}`)).text();
  t.notRegex(html, /somebody &amp;|we got/);
  t.regex(html, /Hidden from your role/);
  t.notRegex(html, /\/retry"/);
  const action = `${path}/${deliveryId}/retry`;
  for (const role of ['viewer', 'finance'] as const) {
    const { browser: theirs } = team.members[role];
    t.is((await theirs.submit('/settings/profile', { action })).status, 403, role);
  }
  const [row] = await api.test.query<{ run: number }>(
    'select run from delivery_now where id = $1',
    [deliveryId],
  );
  t.is(row!.run, 1);
});

test('Retry of a dead delivery re-queues the same payload, once however often it is clicked', async (t) => {
  const { team, made, path, product } = await scene();
  const deliveryId = await dead(made);
  const { browser, person } = team.members.developer;
  const here = `${path}/${deliveryId}`;
  const click = () => browser.submit(here, { action: `${here}/retry` });
  t.regex(await (await browser.get(here)).text(), /Retry/);
  const answers = await Promise.all([click(), click(), click()]);
  const said = answers.map(noticeOf);
  t.deepEqual(said.toSorted(), [
    'delivery_already_queued',
    'delivery_already_queued',
    'delivery_queued',
  ]);
  const [row] = await api.test.query<Record<string, unknown>>(
    `select status, run, step, due_at <= gatehouse_now() as is_due, body = convert_to($2, 'utf8') as same
     from delivery_now where id = $1`,
    [deliveryId, PAYLOAD],
  );
  t.deepEqual(row, { status: 'retrying', run: 2, step: 0, is_due: true, same: true });
  const told = await api.test.query(`select 1 from outbox where workflow_id = $1`, [
    `delivery:${deliveryId}`,
  ]);
  t.is(told.length, 1);
  const trail = await api.test.query(
    `select action, subject, actor_id from audit where product_id = $1`,
    [product.id],
  );
  t.deepEqual(trail, [{ action: 'delivery.retried', subject: deliveryId, actor_id: person.id }]);
  t.regex(await (await browser.get(answers[0]!.headers.get('location')!)).text(), /queued/);
});

test('what is not dead, or whose endpoint is gone, is not retried', async (t) => {
  const { team, made, path, endpointId } = await scene();
  const held = await rows.delivery({ ...made, status: 'held' });
  const gone = await dead(made);
  const { browser } = team.members.owner;
  await api.test.query('update webhook_endpoint set deleted_at = now() where id = $1', [
    endpointId,
  ]);
  for (const id of [held, gone]) {
    const action = `${path}/${id}/retry`;
    const answer = await browser.submit('/settings/profile', { action });
    t.is(noticeOf(answer), 'delivery_not_dead');
    t.notRegex(await (await browser.get(`${path}/${id}`)).text(), /\/retry"/);
  }
});

test('a delivery of another product is not there, for reading or retrying', async (t) => {
  const { path, team } = await scene();
  const other = await scene();
  const deliveryId = await dead(other.made);
  const { browser } = team.members.owner;
  for (const id of [deliveryId, 'evt_00000000000000000000000000', 'nonsense']) {
    t.is((await browser.get(`${path}/${id}`)).status, 404);
    const action = `${path}/${id}/retry`;
    t.is((await browser.submit('/settings/profile', { action })).status, 404);
  }
});
