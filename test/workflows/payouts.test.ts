import test from 'ava';
import { createProcessorListActivities } from '../../activities/billing/processor-lists.activities.ts';
import type { Services } from '../../activities/services.ts';
import { ProcessorFault, type Processor } from '../../clients/processor/processor.ts';
import { eventually } from '../support/eventually.ts';
import { reconcileNow } from '../support/purchases/reconciling.ts';
import { startShop } from '../support/purchases/shop.ts';
import { openReadyAccount } from '../../packages/simulator/onboard.ts';

const shop = await startShop();
const { api, stage, knobs } = shop;
test.after.always(() => shop.close());

async function seller() {
  const owner = await api.seed.person({ isBuilder: true });
  const account = await openReadyAccount(api.processor, owner.email);
  await api.seed.payoutAccount(owner, { account });
  const product = await api.seed.product({ owner });
  const browser = api.browser();
  await browser.signIn(owner);
  const read = async (page = '') =>
    (await browser.get(`/console/products/${product.slug}${page}`)).text();
  return { owner, account, product, read };
}

type Told = { handled: boolean; reason: string | null };

const eventsOf = (account: string) =>
  api.test.query<Told>(
    `select handled_at is not null as handled, dead_letter_reason as reason from processor_event
     join processor_event_body b on b.id = body_id
     where type like 'payout.%' and body #>> '{account}' = $1
     order by received_at, processor_event.id`,
    [account],
  );

/** The simulator makes a payout, its event comes in, and reconciliation follows it. */
async function payOut(account: string, more: Parameters<typeof knobs.payOut>[1], times: number) {
  const { id } = await knobs.payOut(account, more);
  await eventually(
    () => eventsOf(account),
    (found) => found.length === times,
  );
  await reconcileNow(stage);
  return id;
}

const mailsTo = (address: string) =>
  api.test.query<{ subject: string; facts: Record<string, string> }>(
    `select subject, facts from mail_token where address = $1 and purpose = 'payout_failed'`,
    [address],
  );

test.serial('a failed payout is mailed once, and shown until a later payout arrives', async (t) => {
  const { owner, account, read } = await seller();
  const id = await payOut(account, { status: 'failed', amount: 12_345 }, 1);
  const [mail, ...others] = await mailsTo(owner.email);
  t.deepEqual(others, []);
  t.is(mail!.subject, id);
  t.like(mail!.facts, {
    amount: '123.45 USD',
    reason: 'the bank account is closed',
    remedy: 'Enter another bank account at the payment processor.',
  });
  t.regex(
    await read(),
    /What needs you[\s\S]*data-issue="payout_failed"[\s\S]*bank account is closed/,
  );
  const settings = await read('/selling');
  t.notRegex(settings, /data-met="true"|data-state="enabled"|Ready to sell/);
  t.regex(settings, /data-payout="failed"[\s\S]*123\.45 <small>USD[\s\S]*bank account is closed/);
  t.regex(settings, /Check the bank account at the payment processor/);
  t.deepEqual(await eventsOf(account), [{ handled: true, reason: null }]);
  await knobs.passDays(1);
  await payOut(account, { status: 'paid' }, 2);
  t.notRegex(await read(), /payout_failed/);
  t.notRegex(await read('/selling'), /data-payout="failed"/);
  t.is((await mailsTo(owner.email)).length, 1);
});

test.serial('the events of a payout in any order and number come to the same', async (t) => {
  const { owner, account, read } = await seller();
  await knobs.hold(2);
  const failed = await knobs.payOut(account, { status: 'failed', failure_code: 'no_account' });
  await knobs.passDays(1);
  await knobs.payOut(account, { status: 'paid' });
  await knobs.release('reversed');
  await eventually(
    () => eventsOf(account),
    (found) => found.length === 2,
  );
  await reconcileNow(stage);
  t.notRegex(await read(), /payout_failed/, 'the later payout arrived');
  t.deepEqual(
    (await mailsTo(owner.email)).map(({ subject }) => subject),
    [failed.id],
    'its owner is told all the same',
  );
  await knobs.duplicate(2);
  await payOut(account, { status: 'failed', failure_code: 'made_up_yesterday' }, 3);
  await reconcileNow(stage);
  const mails = await mailsTo(owner.email);
  t.is(mails.length, 2);
  t.regex(await read(), /data-issue="payout_failed"[\s\S]*bank gave no reason/);
});

test.serial('a payout of nobody’s account is handled without a word', async (t) => {
  const account = await openReadyAccount(api.processor, 'stranger@example.com');
  await payOut(account, { status: 'failed' }, 1);
  t.deepEqual(await eventsOf(account), [{ handled: false, reason: null }], 'it may be early');
  await api.test.advance(61 * 60_000);
  await reconcileNow(stage);
  t.deepEqual(await eventsOf(account), [{ handled: true, reason: null }]);
});

test.serial('a payout that the processor does not know is dead-lettered for a human', async (t) => {
  const { account, read } = await seller();
  const { id } = await knobs.payOut(account, { status: 'failed' });
  await api.test.query('delete from simulator.payout where id = $1', [id]);
  await eventually(
    () => eventsOf(account),
    (found) => found.length === 1,
  );
  await reconcileNow(stage);
  const [event] = await eventsOf(account);
  t.false(event!.handled);
  t.regex(event!.reason!, /404/);
  t.notRegex(await read(), /payout_failed/);
});

// Of accounts.

const rowOf = async (account: string) => {
  const [row] = await api.test.query<{ can_charge: boolean; is_submitted: boolean }>(
    'select can_charge, is_submitted from payout_account where processor_account = $1',
    [account],
  );
  return row!;
};

const wordsOf = (account: string) =>
  api.test.query<Told>(
    `select handled_at is not null as handled, dead_letter_reason as reason from processor_event
     join processor_event_body b on b.id = body_id
     where type = 'account.updated' and body #>> '{data,object,id}' = $1
     order by received_at, processor_event.id`,
    [account],
  );

const untilTold = (account: string, times = 1) =>
  eventually(
    () => wordsOf(account),
    (found) => found.length === times,
  );

const openAccount = async () => {
  const owner = await api.seed.person({ isBuilder: true });
  const { id } = await api.processor.createPayoutAccount({ email: owner.email });
  await api.seed.payoutAccount(owner, { account: id, canCharge: false });
  return id;
};

const onboard = async (account: string, state: string) => {
  const link = { account, returnUrl: 'http://localhost/', refreshUrl: 'http://localhost/' };
  const { url } = await api.processor.openOnboarding(link);
  await fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ state }) });
};

test.serial(
  'what the processor decides of a payout account is read again after its event',
  async (t) => {
    const account = await openAccount();
    await onboard(account, 'in_review');
    await untilTold(account);
    await reconcileNow(stage);
    t.deepEqual(await rowOf(account), { can_charge: false, is_submitted: true });
    await onboard(account, 'enabled');
    await untilTold(account, 2);
    await reconcileNow(stage);
    t.deepEqual(await rowOf(account), { can_charge: true, is_submitted: true });
    const handled = { handled: true, reason: null };
    t.deepEqual(await wordsOf(account), [handled, handled]);
  },
);

test.serial('the account is read as it is, not as its event says', async (t) => {
  const account = await openAccount();
  await knobs.hold(1);
  await onboard(account, 'in_review');
  await onboard(account, 'enabled');
  await untilTold(account);
  await reconcileNow(stage);
  await knobs.release();
  await untilTold(account, 2);
  await reconcileNow(stage);
  t.true((await rowOf(account)).can_charge);
});

test.serial(
  'of an account that is nobody’s here nothing is asked, and nobody is alerted',
  async (t) => {
    const account = await openReadyAccount(api.processor, 'stranger@example.com');
    await untilTold(account);
    await reconcileNow(stage);
    t.deepEqual(await wordsOf(account), [{ handled: false, reason: null }], 'it may be early');
    await api.test.advance(61 * 60_000);
    await reconcileNow(stage);
    t.deepEqual(await wordsOf(account), [{ handled: true, reason: null }]);
    const alerts = await api.test.query(`select 1 from alert where subject = $1`, [account]);
    t.deepEqual(alerts, []);
  },
);

test.serial(
  'an account that the processor no longer knows is dead-lettered for a human',
  async (t) => {
    const account = await openAccount();
    await onboard(account, 'in_review');
    await untilTold(account);
    await api.test.query('delete from simulator.account_link where account_id = $1', [account]);
    await api.test.query('delete from simulator.account where id = $1', [account]);
    await reconcileNow(stage);
    const [event] = await wordsOf(account);
    t.false(event!.handled);
    t.regex(event!.reason!, /404/);
    t.deepEqual(await rowOf(account), { can_charge: false, is_submitted: false });
  },
);

test.serial(
  'an account that the processor refuses to read holds up no other account and no payout',
  async (t) => {
    const refused = await openAccount();
    await onboard(refused, 'in_review');
    await untilTold(refused);
    const read = await openAccount();
    await onboard(read, 'enabled');
    await untilTold(read);
    const paid = await seller();
    await knobs.payOut(paid.account, { status: 'failed' });
    await eventually(
      () => eventsOf(paid.account),
      (found) => found.length === 1,
    );
    const fault = { statusCode: 403, type: 'StripePermissionError' } as never;
    const processor: Processor = {
      ...api.processor,
      async readPayoutAccount(account) {
        if (account === refused) throw new ProcessorFault('read payout account', fault);
        return api.processor.readPayoutAccount(account);
      },
    };
    const services = { ...stage, processor } as unknown as Services;
    await createProcessorListActivities(services).refreshPayoutAccounts();
    const handled = { handled: true, reason: null };
    t.deepEqual(await wordsOf(refused), [{ handled: false, reason: null }], 'asked again later');
    t.deepEqual(await wordsOf(read), [handled]);
    t.deepEqual(await eventsOf(paid.account), [handled]);
  },
);
