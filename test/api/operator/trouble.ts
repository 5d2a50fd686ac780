import test from 'ava';
import { raiseAlert } from '../../../domain/alerts/alert.repository.ts';
import { recordProcessorEvent } from '../../../domain/billing/processor-inbox/inbox.repository.ts';
import { arrivalOf } from '../../support/http/arrival.ts';
import { people, operator } from './scene.ts';

const { api } = people;
const { query } = api.test;

const show = async (path: string) => (await operator.browser.get(path)).text();

let number = 0;

/** As it is kept when it comes. */
async function addDeadLetter(changes: { type?: string; body?: object } = {}) {
  const id = `evt_t${(number += 1)}`;
  const type = changes.type ?? 'issuing_card.created';
  const { body = { object: 'event', note: '<b>said</b>' } } = changes;
  const event = { processor: 'simulator', id, type, purchaseId: null, body };
  await api.database.transaction((em) => recordProcessorEvent(em, event));
  return { id, path: `/operator/events/simulator/${id}` };
}

const decide = async (path: string, action: string, fields: Record<string, string> = {}) =>
  operator.browser.submit(path, { action: `${path}/${action}`, fields });

const rowOf = async (id: string) =>
  (
    await query<{
      dead_letter_reason: string | null;
      handled_at: Date | null;
      set_aside_note: string;
    }>('select dead_letter_reason, handled_at, set_aside_note from processor_event where id = $1', [
      id,
    ])
  )[0]!;

const auditEntriesOn = async (subject: string) =>
  (await query<{ action: string }>('select action from audit where subject = $1', [subject])).map(
    ({ action }) => action,
  );

/** A purchase that its buyer has just begun. */
async function begin() {
  const product = await api.seed.product();
  const { id: personId } = await api.seed.person();
  const [row] = await query<{ id: string }>(
    `with made as (
       insert into checkout (id, person_id, product_id, offer_id, price_id, amount_minor, currency,
         expires_at)
       select gen_random_uuid(), $1, $2, p.offer_id, p.id, 1250, 'USD', now() + interval '1 day'
       from price p where p.offer_id = $3 limit 1 returning id)
     insert into purchase (id, checkout_id, person_id, product_id, service_source)
     select 'pay_' || id, id, $1, $2, 'buy_link' from made returning id`,
    [personId, product.id, product.offerId],
  );
  return row!.id;
}

test.serial(
  'a dead-lettered event is listed with its reason, and its page shows its body as text',
  async (t) => {
    const { id, path } = await addDeadLetter();
    const list = await show('/operator/events');
    t.true(list.includes(id) && list.includes('We do not process events of this type.'));
    const page = await show(path);
    t.true(page.includes('&lt;b&gt;said&lt;/b&gt;'));
    t.is((await operator.browser.get('/operator/events/simulator/evt_nobody')).status, 404);
    t.is((await operator.browser.get('/operator/events/stripe/%00')).status, 404);
  },
);

test.serial('every dead-lettered event is listed once, the newest first', async (t) => {
  const ids: string[] = [];
  for (let n = 0; n < 60; n += 1) ids.push((await addDeadLetter({ type: 'paged.event' })).id);
  const found: string[] = [];
  let path: string | undefined = '/operator/events';
  for (let pages = 0; path; pages += 1) {
    t.true(pages < 5);
    const page = await show(path);
    found.push(...[...page.matchAll(/>(evt_t\d+)</g)].map(([, id]) => id!));
    path = /href="(\/operator\/events\?[^"]+)" rel="next"/.exec(page)?.[1];
  }
  t.deepEqual(
    found.filter((id) => ids.includes(id)),
    ids.toReversed(),
  );
  t.is(new Set(found).size, found.length);
});

test.serial('a dead-lettered event is tried again once its purchase is known', async (t) => {
  const purchaseId = await begin();
  const body = { data: { object: { metadata: { purchase_id: purchaseId } } } };
  const { id, path } = await addDeadLetter({ type: 'checkout.session.completed', body });
  t.is((await rowOf(id)).dead_letter_reason, 'unknown_purchase');
  const response = await decide(path, 'again');
  t.is(arrivalOf(response), `${path} event_tried`);
  t.like(await rowOf(id), { dead_letter_reason: null, handled_at: null });
  const told = await query(`select message->>'kind' as kind from outbox where workflow_id = $1`, [
    `purchase:${purchaseId}`,
  ]);
  t.deepEqual(told, [{ kind: 'tried_again' }]);
  t.deepEqual(await auditEntriesOn(id), ['event.retried']);
});

test.serial(
  'a dead-lettered event that names no purchase cannot be tried, and stays',
  async (t) => {
    const { id, path } = await addDeadLetter({ type: 'checkout.session.completed' });
    const response = await decide(path, 'again');
    t.is(arrivalOf(response), `${path} event_unclaimed`);
    t.like(await rowOf(id), { dead_letter_reason: 'unknown_purchase', handled_at: null });
    t.deepEqual(await auditEntriesOn(id), []);
  },
);

test.serial('an event is set aside with a note, by one operator alone', async (t) => {
  const { id, path } = await addDeadLetter();
  for (const note of ['', '   ', 'x'.repeat(501), 'a\0b']) {
    t.is((await decide(path, 'set-aside', { note })).status, 422);
  }
  const answers = await Promise.all(
    [1, 2].map(() => decide(path, 'set-aside', { note: "Somebody else's" })),
  );
  t.deepEqual(answers.map(arrivalOf).toSorted(), [
    '/operator/events event_set_aside',
    '/operator/events unchanged',
  ]);
  t.like(await rowOf(id), { set_aside_note: "Somebody else's" });
  t.truthy((await rowOf(id)).handled_at);
  t.deepEqual(await auditEntriesOn(id), ['event.set_aside']);
  t.false((await show('/operator/events')).includes(id));
  t.regex(await show(path), /Somebody else&#39;s/);
});

test.serial('a dead-lettered message is sent again', async (t) => {
  const [row] = await query<{ id: string }>(
    `insert into outbox (workflow_type, workflow_id, input, priority, message, dead_lettered_at, refusals,
       last_error)
     values ('sendMail', 'mail:x1', '{}', 4, '{}', now(), 10, 'too <b>odd</b>') returning id::text as id`,
  );
  const { id } = row!;
  t.true((await show('/operator/messages')).includes('too &lt;b&gt;odd&lt;/b&gt;'));
  const fields = { message: id };
  const send = () =>
    operator.browser.submit('/operator/messages', { action: '/operator/messages', fields });
  const response = await send();
  t.is(arrivalOf(response), '/operator/messages message_sent');
  const [sent] = await query('select dead_lettered_at, refusals from outbox where id = $1', [id]);
  t.deepEqual(sent, { dead_lettered_at: null, refusals: 0 });
  t.deepEqual(await auditEntriesOn(id), ['message.sent_again']);
});

test.serial(
  'an alert is raised once while it is open, is mailed to operators, and is resolved',
  async (t) => {
    const subject = 'pay_alert';
    const raise = () =>
      api.database.transaction((em) =>
        raiseAlert(em, { kind: 'amount_differs', subject, detail: { paid: '<i>5</i>' } }),
      );
    await Promise.all([1, 2, 3, 4].map(raise));
    const find = () =>
      query<{ id: string; times: number; resolved_at: Date | null }>(
        'select id, times, resolved_at from alert where subject = $1 order by id',
        [subject],
      );
    const [alert] = await find();
    t.is((await find()).length, 1);
    t.is(alert!.times, 4);
    const page = await show('/operator/alerts');
    t.true(page.includes('&lt;i&gt;5&lt;/i&gt;') && page.includes('data-alert="amount_differs"'));
    t.regex(page, /href="\/docs\/operating#amount_differs"/);
    const mails = await query(
      `select 1 from mail_token m join outbox o on o.workflow_id = 'mail:' || m.id
     where m.purpose = 'alert_raised' and m.person_id = $1`,
      [operator.person.id],
    );
    t.is(mails.length, 1, 'however many alerts there are');
    const fields = { alert: alert!.id };
    const response = await operator.browser.submit('/operator/alerts', {
      action: '/operator/alerts',
      fields,
    });
    t.is(arrivalOf(response), '/operator/alerts alert_resolved');
    t.truthy((await find())[0]!.resolved_at);
    t.deepEqual(await auditEntriesOn(subject), ['alert.resolved']);
    await raise();
    t.is((await find()).length, 2, 'what comes again is raised again');
    t.true((await show('/operator/alerts?show=resolved')).includes(subject));
  },
);

test.serial('an alert of workflows leads to them in Temporal', async (t) => {
  await api.database.transaction((em) =>
    raiseAlert(em, { kind: 'workflow_failing', subject: 'sendMail', detail: { workflows: 2 } }),
  );
  const detail = { overdue: 1, workflow: 'delivery:evt_late' };
  await api.database.transaction((em) =>
    raiseAlert(em, { kind: 'work_overdue', subject: 'delivery', detail }),
  );
  const page = await show('/operator/alerts');
  t.regex(page, /workflows\?query=ExecutionStatus[^"]+TemporalReportedProblems[^"]+sendMail/);
  t.regex(page, /workflows\/delivery%3Aevt_late"/);
});

test.serial('the navigation and the overview count what waits', async (t) => {
  const count = async (label: string) => {
    const found = new RegExp(`${label}<span class="count[^>]*>(\\d+)<`).exec(
      await show('/operator'),
    );
    return Number(found?.[1] ?? 0);
  };
  const labels = ['Makers', 'Unprocessed events', 'Failed jobs'];
  const before = await Promise.all(labels.map(count));
  const { id } = await api.seed.person();
  await query('update person set builder_requested_at = now() where id = $1', [id]);
  await addDeadLetter();
  await query(
    `insert into outbox (workflow_type, workflow_id, input, priority, message, dead_lettered_at)
     values ('sendMail', 'mail:x2', '{}', 4, '{}', now())`,
  );
  t.deepEqual(
    await Promise.all(labels.map(count)),
    before.map((n) => Math.min(n + 1, 99)),
  );
  t.regex(
    await show('/operator'),
    /background job(?:s)? failed[^]*mak(?:er waits|ers wait) for verification/,
  );
  await query('update person set builder_requested_at = null where id = $1', [id]);
  t.is(await count('Makers'), before[0]!);
});

test.serial('nobody but an operator is told that these pages are there', async (t) => {
  const { path } = await addDeadLetter();
  const { browser } = await people.signedIn(await api.seed.person({ isBuilder: true }));
  for (const page of ['/operator/alerts', '/operator/events', path, '/operator/messages']) {
    t.is((await browser.get(page)).status, 404, page);
  }
});

for (const path of [
  'alerts?before=x',
  'alerts?show=all',
  'messages?before=0',
  'messages?before=x',
]) {
  test.serial(`/operator/${path} is a bad request`, async (t) => {
    t.is((await operator.browser.get(`/operator/${path}`)).status, 400);
  });
}
