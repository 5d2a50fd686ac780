import test from 'ava';
import { noticeOf } from '../../../support/http/arrival.ts';
import { teams, rows, dead, scene, PAYLOAD } from './delivery.scene.ts';

const { api } = teams;

test('Retry of a dead delivery re-queues the same payload, once however often it is clicked', async (t) => {
  const { team, made, path, product } = await scene();
  const deliveryId = await dead(made);
  const { browser, person } = team.members.developer;
  const here = `${path}/${deliveryId}`;
  const click = () => submit(browser, { action: `${here}/retry` });
  t.deepEqual(await buttonOf(browser, here), { path: 'retry', run: '1', step: undefined });
  const answers = await Promise.all([click(), click(), click()]);
  t.deepEqual(answers.map(noticeOf).toSorted(), [
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

test('Send again of a succeeded delivery queues the same payload, once however often it is clicked', async (t) => {
  const { team, made, path, product } = await scene();
  const deliveryId = await rows.delivery(made);
  await rows.attempt({ deliveryId, step: 0, statusCode: 204 });
  const { browser } = team.members.developer;
  const here = `${path}/${deliveryId}`;
  t.deepEqual(await buttonOf(browser, here), { path: 'retry', run: '1', step: undefined });
  const click = (run = '1') => submit(browser, { action: `${here}/retry`, run });
  const answers = await Promise.all([click(), click(), click()]);
  t.deepEqual(answers.map(noticeOf).toSorted(), [
    'delivery_already_queued',
    'delivery_already_queued',
    'delivery_queued',
  ]);
  const read = () =>
    api.test.query<Record<string, unknown>>(
      `select status, run, step, due_at <= gatehouse_now() as is_due, cohort,
         body = convert_to($2, 'utf8') as same from delivery_now where id = $1`,
      [deliveryId, PAYLOAD],
    );
  const queued = { status: 'retrying', run: 2, step: 0, is_due: true, cohort: null, same: true };
  t.deepEqual(await read(), [queued]);
  t.deepEqual(await auditOf(product.id), ['delivery.sent_again']);
  t.is((await messagesTo(deliveryId)).length, 1);

  // It arrived: the page of the first click sends nothing more, that of the second group does.
  await rows.attempt({ deliveryId, run: 2, step: 0, statusCode: 204 });
  await api.test.query('delete from delivery_state where delivery_id = $1', [deliveryId]);
  t.is(noticeOf(await click('1')), 'delivery_already_queued');
  t.is(noticeOf(await click('2')), 'delivery_queued');
  t.deepEqual(await read(), [{ ...queued, run: 3 }]);
});

test('Retry now makes the retry that was seen due, once, and tells the workflow that the row names', async (t) => {
  const { team, made, path, product } = await scene();
  const waiting = { ...made, status: 'retrying', step: 3, dueInMinutes: 30 } as const;
  const own = await rows.delivery(waiting);
  const shared = await rows.delivery(waiting);
  const cohort = `deliveries:${made.endpointId}:2026-11-25T19:05Z`;
  await api.test.query('update delivery_state set cohort = $2 where delivery_id = $1', [
    shared,
    cohort,
  ]);
  const { browser, person } = team.members.developer;
  for (const [deliveryId, workflowId] of [
    [own, `delivery:${own}`],
    [shared, cohort],
  ] as const) {
    const here = `${path}/${deliveryId}`;
    t.deepEqual(await buttonOf(browser, here), { path: 'retry-now', run: '1', step: '3' });
    const click = (step = '3') => submit(browser, { action: `${here}/retry-now`, step });
    t.is(noticeOf(await click('2')), 'delivery_not_waiting', 'an older page');
    const answers = await Promise.all([click(), click(), click()]);
    t.deepEqual(answers.map(noticeOf).toSorted(), [
      'delivery_not_waiting',
      'delivery_not_waiting',
      'delivery_retried_now',
    ]);
    const [row] = await api.test.query<Record<string, unknown>>(
      `select status, run, step, due_at <= gatehouse_now() as is_due from delivery_state
       where delivery_id = $1`,
      [deliveryId],
    );
    t.deepEqual(row, { status: 'retrying', run: 1, step: 3, is_due: true });
    const told = await api.test.query('select message from outbox where workflow_id = $1', [
      workflowId,
    ]);
    t.deepEqual(told, [{ message: { kind: 'retry_now' } }]);
  }
  t.deepEqual(await auditOf(product.id), ['delivery.retried_now', 'delivery.retried_now']);
  const [entry] = await api.test.query(
    `select actor_id, detail from audit where subject = $1 limit 1`,
    [own],
  );
  t.deepEqual(entry, { actor_id: person.id, detail: { run: 1, step: 3 } });
});

test('Retry now of a retry that is due but nothing sends tells its workflow, once', async (t) => {
  const { team, made, path } = await scene();
  const { browser } = team.members.owner;
  const due = await rows.delivery({ ...made, status: 'retrying', step: 1, dueInMinutes: -1 });
  const click = () => submit(browser, { action: `${path}/${due}/retry-now`, step: '1' });
  const answers = await Promise.all([click(), click(), click()]);
  t.deepEqual(answers.map(noticeOf).toSorted(), [
    'delivery_not_waiting',
    'delivery_not_waiting',
    'delivery_retried_now',
  ]);
  t.is((await messagesTo(due)).length, 1);
});

test('Retry now leaves a retry alone that is under way, leased or not waiting', async (t) => {
  const { team, made, path, endpointId } = await scene();
  const { browser } = team.members.owner;
  const due = await rows.delivery({ ...made, status: 'retrying', step: 1, dueInMinutes: 0 });
  const leased = await rows.delivery({ ...made, status: 'retrying', step: 1, dueInMinutes: 5 });
  await api.test.query(
    `insert into delivery_lease (delivery_id, endpoint_id, owner_id, token, until, is_retry)
     values ($1, $2, gen_random_uuid(), gen_random_uuid(), gatehouse_now() + interval '10 s', true)`,
    [leased, endpointId],
  );
  const others = ['pending', 'dead', 'held', 'cancelled', 'succeeded'] as const;
  const added = others.map((status) =>
    rows.delivery({ ...made, status, step: 1, dueInMinutes: 5 }),
  );
  for (const id of [due, leased, ...(await Promise.all(added))]) {
    const answer = await submit(browser, { action: `${path}/${id}/retry-now`, step: '1' });
    t.is(noticeOf(answer), 'delivery_not_waiting', id);
    const driven = `select from outbox where workflow_id like '%' || $1`;
    t.is((await api.test.query(driven, [id])).length, 0);
  }
});

test('what is held, cancelled or under way is not sent again, nor where the endpoint is closed', async (t) => {
  const { team, made, path, endpointId } = await scene();
  const { browser } = team.members.owner;
  const send = (id: string) => submit(browser, { action: `${path}/${id}/retry` });
  for (const status of ['held', 'cancelled'] as const) {
    const id = await rows.delivery({ ...made, status });
    t.is(noticeOf(await send(id)), 'delivery_not_sent', status);
    t.is(await buttonOf(browser, `${path}/${id}`), null);
  }
  for (const status of ['pending', 'retrying'] as const) {
    const id = await rows.delivery({ ...made, status, dueInMinutes: 5 });
    t.is(noticeOf(await send(id)), 'delivery_already_queued', status);
  }
  const [gone, arrived] = [await dead(made), await rows.delivery(made)];
  for (const closed of ['disabled_at', 'deleted_at']) {
    await api.test.query(`update webhook_endpoint set ${closed} = now() where id = $1`, [
      endpointId,
    ]);
    for (const id of [gone, arrived]) {
      t.is(noticeOf(await send(id)), 'delivery_not_sent', closed);
      t.is(await buttonOf(browser, `${path}/${id}`), null);
    }
  }
});

test('a builder without a team sends again and retries only when verified', async (t) => {
  for (const isBuilder of [false, true]) {
    const { browser, person } = await teams.signedIn(await api.seed.person({ isBuilder }));
    const product = await api.seed.product({ owner: person });
    const url = 'https://hooks.example/in';
    const { id: endpointId } = await api.seed.endpoint({ productId: product.id, url });
    const made = { productId: product.id, endpointId };
    const path = `/console/products/${product.slug}/deliveries`;
    const arrived = await rows.delivery(made);
    const waiting = await rows.delivery({ ...made, status: 'retrying', dueInMinutes: 5 });
    const expected = isBuilder ? 303 : 403;
    const again = await submit(browser, { action: `${path}/${arrived}/retry` });
    t.is(again.status, expected);
    const now = await submit(browser, { action: `${path}/${waiting}/retry-now`, step: '0' });
    t.is(now.status, expected);
  }
});

test('an operator sends again and retries, from an alert on', async (t) => {
  const { made, path } = await scene();
  const { browser } = await teams.signedIn(await api.seed.person({ isOperator: true }));
  const [gone, waiting] = [
    await dead(made),
    await rows.delivery({ ...made, status: 'retrying', dueInMinutes: 5 }),
  ];
  const again = await submit(browser, { action: `${path}/${gone}/retry` });
  t.is(noticeOf(again), 'delivery_queued');
  const now = await submit(browser, { action: `${path}/${waiting}/retry-now`, step: '0' });
  t.is(noticeOf(now), 'delivery_retried_now');
});

test('a form that names no attempt group, or no step, is refused', async (t) => {
  const { team, made, path } = await scene();
  const id = await dead(made);
  const { browser } = team.members.owner;
  for (const run of ['', '-1', '1.5', 'one', '99999999999999999999', '1 or 1=1']) {
    t.is((await submit(browser, { action: `${path}/${id}/retry`, run })).status, 400, run);
  }
  for (const step of ['', '6', '-1', 'x']) {
    t.is((await submit(browser, { action: `${path}/${id}/retry-now`, step })).status, 400, step);
  }
});

test('a delivery of another product is not there, for reading or retrying', async (t) => {
  const { path, team } = await scene();
  const other = await scene();
  const deliveryId = await dead(other.made);
  const { browser } = team.members.owner;
  for (const id of [deliveryId, 'evt_00000000000000000000000000', 'nonsense']) {
    t.is((await browser.get(`${path}/${id}`)).status, 404);
    for (const action of ['retry', 'retry-now']) {
      t.is((await submit(browser, { action: `${path}/${id}/${action}` })).status, 404);
    }
  }
});

type Browser = Awaited<ReturnType<typeof teams.signedIn>>['browser'];

/** Presses the button of the first group, and of a step. */
function submit(
  browser: Browser,
  { action, run = '1', step = '0' }: { action: string; run?: string; step?: string },
) {
  const fields = action.endsWith('/retry') ? { run } : { run, step };
  return browser.submit('/settings/profile', { action, fields });
}

/** The button of the page and what it sends, or null. */
async function buttonOf(browser: Browser, path: string) {
  const page = await (await browser.get(path)).text();
  const [form = '', action] = /action="[^"]+\/(retry(?:-now)?)"[^]*?<\/form>/.exec(page) ?? [];
  const valueOf = (name: string) => new RegExp(`name="${name}" value="(\\d+)"`).exec(form)?.[1];
  return action ? { path: action, run: valueOf('run'), step: valueOf('step') } : null;
}

async function auditOf(productId: string): Promise<string[]> {
  const sql = 'select action from audit where product_id = $1 order by at, id';
  return (await api.test.query<{ action: string }>(sql, [productId])).map(({ action }) => action);
}

function messagesTo(deliveryId: string) {
  return api.test.query('select from outbox where workflow_id = $1', [`delivery:${deliveryId}`]);
}
