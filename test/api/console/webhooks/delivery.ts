import test from 'ava';
import { noticeOf } from '../../../support/http/arrival.ts';
import { teams, rows, dead, scene } from './delivery.scene.ts';

const { api } = teams;

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
  t.regex(html, /Attempt 2: <strong>500</);
  t.regex(html, /1,234\sms/);
  t.regex(html, /was interrupted/);
  t.regex(html, /&lt;b&gt;broken&lt;\/b&gt;/);
  t.regex(html, /Attempt 3<\/span\s*><span><time datetime="[^"]+"\s*>in 5 min</);
  t.regex(html, /UTC<\/time\s*>, then after 30 minutes, 2 hours and 12 hours/);
  t.notRegex(html, /workflows\/delivery%3Aevt_/, 'Temporal is for operators');
});

test('an attempt names the part of a response that is missing', async (t) => {
  const { team, made, path } = await scene();
  const deliveryId = await rows.delivery({ ...made, status: 'retrying', step: 3 });
  await rows.attempt({ deliveryId, step: 0, error: 'timeout' });
  await rows.attempt({ deliveryId, step: 1, statusCode: 500, error: 'timeout' });
  await rows.attempt({ deliveryId, step: 2, error: 'reset' });
  const html = await (await team.members.developer.browser.get(`${path}/${deliveryId}`)).text();
  t.regex(html, /No response within 10 seconds/);
  t.regex(html, /500, the response did not end within 10 seconds/);
  t.regex(html, /Connection lost, or the response was not valid HTTP/);
});

const SIGNATURE = `t=1700000000,v1=${'a'.repeat(64)}`;
const PREVIOUS = `t=1700000600,v1=${'b'.repeat(64)}`;

test('each attempt shows the headers as they were sent with it', async (t) => {
  const { team, made, path, endpointId } = await scene();
  const deliveryId = await rows.delivery({ ...made, status: 'dead', step: 5 });
  await rows.attempt({ deliveryId, step: 0, error: 'http_status', signature: SIGNATURE });
  await rows.attempt({ deliveryId, step: 1, error: 'dns' });
  // A rotation that is open now changes nothing of what was sent.
  await api.test.query(
    `update webhook_endpoint set previous_until = gatehouse_now() + interval '1 hour' where id = $1`,
    [endpointId],
  );
  const { browser } = team.members.developer;
  const before = await (await browser.get(`${path}/${deliveryId}`)).text();
  t.regex(before, /somebody &amp; &lt;others&gt;/);
  t.regex(before, /service-event: purchase\.completed/);
  t.regex(before, /user-agent: Gatehouse-Webhooks\/1\.0/);
  t.true(before.includes(`service-signature: ${SIGNATURE}`));
  t.notRegex(before, /service-signature-previous/);
  t.is(before.match(/None sent/g)?.length, 1);
  await rows.attempt({ deliveryId, step: 2, signature: SIGNATURE, previousSignature: PREVIOUS });
  const after = await (await browser.get(`${path}/${deliveryId}`)).text();
  t.is(after.split(`service-signature-previous: ${PREVIOUS}`).length, 2);
  t.is(after.split(`service-signature: ${SIGNATURE}`).length, 3);
  const masked = await (await team.members.viewer.browser.get(`${path}/${deliveryId}`)).text();
  t.regex(masked, /service-signature: t=1700000000,v1=\*\*\*/);
  t.regex(masked, /service-signature-previous: t=1700000600,v1=\*\*\*/);
  t.notRegex(masked, /aaaa|bbbb/);
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
  const others = [
    deliveryId,
    await rows.delivery(made),
    await rows.delivery({ ...made, status: 'retrying', step: 1, dueInMinutes: 5 }),
  ];
  for (const id of others) {
    const page = await (await browser.get(`${path}/${id}`)).text();
    t.is(page.split('Your role does not allow you to').length, 2, id);
  }
  for (const role of ['viewer', 'finance'] as const) {
    const { browser: theirs } = team.members[role];
    for (const action of ['retry', 'retry-now']) {
      const fields = { run: '1', step: '0' };
      const sent = await theirs.submit('/settings/profile', {
        action: `${path}/${deliveryId}/${action}`,
        fields,
      });
      t.is(sent.status, 403, `${role}, ${action}`);
    }
  }
  const [row] = await api.test.query<{ run: number }>(
    'select run from delivery_now where id = $1',
    [deliveryId],
  );
  t.is(row!.run, 1);
});

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 16);

async function recoveryScene() {
  const team = await teams.wholeTeam();
  const product = await teams.productOf(team);
  const url = 'https://hooks.example/in';
  const { id: endpointId } = await api.seed.endpoint({ productId: product.id, url });
  const made = { productId: product.id, endpointId };
  const path = `/console/products/${product.slug}/recoveries`;
  const { browser } = team.members.developer;
  const form = { endpoint: '', event: '', status: 'both', since: ago(2), until: '' };
  const start = (fields: Partial<typeof form> = {}, by = browser) =>
    by.submit('/settings/profile', { action: path, fields: { ...form, ...fields } });
  return { team, product, endpointId, made, path, browser, start };
}

test('a recovery since a date is a row, a message to its workflow and a line of the audit trail', async (t) => {
  const { team, product, made, browser, start, endpointId } = await recoveryScene();
  await rows.delivery({ ...made, status: 'dead', minutesAgo: 60 });
  await rows.delivery({ ...made, status: 'held', minutesAgo: 60 });
  await rows.delivery({ ...made, status: 'dead', minutesAgo: 3 * 1_440 });
  await rows.delivery({ ...made, status: 'succeeded', minutesAgo: 60 });
  const response = await start({ endpoint: endpointId });
  t.is(response.status, 303);
  const location = response.headers.get('location')!;
  const recoveryId = location.split('/').at(-1)!;
  const html = await (await browser.get(location)).text();
  t.regex(html, /<meta http-equiv="refresh" content="3"/);
  t.regex(html, /<progress value="0" max="2">/);
  const sent = await api.test.query('select workflow_type from outbox where workflow_id = $1', [
    `recovery:${recoveryId}`,
  ]);
  t.deepEqual(sent, [{ workflow_type: 'recoverDeliveries' }]);
  const [line] = await teams.trailOf(team.id);
  t.like(line, { action: 'delivery.recovered', subject: recoveryId });
  t.like(line!.detail, { endpointId, statuses: ['dead', 'held'], total: 2 });

  await api.test.query(
    `update recovery set status = 'completed', done = 2, queued = 2, finished_at = now() where id = $1`,
    [recoveryId],
  );
  const over = await (await browser.get(location)).text();
  t.notRegex(over, /http-equiv="refresh"/);
  t.regex(over, /2 of 2 deliveries checked, 2 queued again/);
  t.regex(
    await (await browser.get(`/console/products/${product.slug}/recoveries`)).text(),
    /2 of 2/,
  );
});

test('of several clicks one recovery runs', async (t) => {
  const { made, start, product } = await recoveryScene();
  await rows.delivery({ ...made, status: 'dead' });
  const answers = await Promise.all([start(), start(), start()]);
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 422, 422]);
  t.regex(await (await start()).text(), /Another recovery of this product is running/);
  const found = await api.test.query('select 1 from recovery where product_id = $1', [product.id]);
  t.is(found.length, 1);
});

test('a recovery is bounded: 14 days, and what cannot be recovered is said in place', async (t) => {
  const { made, start, endpointId } = await recoveryScene();
  await rows.delivery({ ...made, status: 'dead' });
  const refusals: [Partial<Parameters<typeof start>[0]>, RegExp][] = [
    [{ since: '' }, /Enter a start date/],
    [{ since: 'soon' }, /Enter dates as/],
    [{ since: ago(15) }, /at most 14 days/],
    [{ since: ago(-1) }, /is in the future/],
    [{ until: ago(3) }, /end is before the start/],
    [{ event: 'entitlement.expired' }, /nothing to recover/],
    [{ endpoint: '00000000-0000-0000-0000-000000000000' }, /nothing to recover/],
  ];
  for (const [fields, said] of refusals) {
    const response = await start(fields);
    t.is(response.status, 422, JSON.stringify(fields));
    t.regex(await response.text(), said);
  }
  for (const fields of [{ status: 'succeeded' }, { event: 'x' }, { endpoint: 'x' }]) {
    t.is((await start(fields)).status, 400, JSON.stringify(fields));
  }
  await api.test.query('update webhook_endpoint set disabled_at = now() where id = $1', [
    endpointId,
  ]);
  t.regex(await (await start({ endpoint: endpointId })).text(), /Enable it first/);
});

test('only those who may integrate recover, and nobody recovers for others', async (t) => {
  const { team, made, start, path, product } = await recoveryScene();
  await rows.delivery({ ...made, status: 'dead' });
  for (const role of ['viewer', 'finance'] as const) {
    t.is((await start({}, team.members[role].browser)).status, 403, role);
    t.notRegex(await (await team.members[role].browser.get(path)).text(), /<button>Recover/);
  }
  const other = await recoveryScene();
  t.is((await start({}, other.browser)).status, 404);
  t.is((await other.browser.get(path)).status, 404);
  const started = (await start()).headers.get('location')!;
  const foreign = started.replace(product.slug, other.product.slug);
  t.is((await other.browser.get(foreign)).status, 404);
  t.is((await other.browser.get(`${other.path}/nonsense`)).status, 404);
});

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
