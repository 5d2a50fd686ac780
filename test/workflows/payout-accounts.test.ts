import test from 'ava';
import { eventually } from '../support/eventually.ts';
import { reconcileNow } from '../support/purchases/reconciling.ts';
import { startShop } from '../support/purchases/shop.ts';
import { openReadyAccount } from '../../packages/simulator/onboard.ts';

const shop = await startShop();
const { api, stage, knobs } = shop;
test.after.always(() => shop.close());

const rowOf = async (account: string) => {
  const [row] = await api.test.query<{ can_charge: boolean; is_submitted: boolean }>(
    'select can_charge, is_submitted from payout_account where processor_account = $1',
    [account],
  );
  return row!;
};

type Told = { handled: boolean; deadLetterReason: string | null };

const eventsOf = (account: string) =>
  api.test.query<Told>(
    `select handled_at is not null as handled, dead_letter_reason as "deadLetterReason" from processor_event
     join processor_event_body b on b.id = body_id
     where type = 'account.updated' and body #>> '{data,object,id}' = $1
     order by received_at, processor_event.id`,
    [account],
  );

const untilTold = (account: string, times = 1) =>
  eventually(
    () => eventsOf(account),
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
    const handled = { handled: true, deadLetterReason: null };
    t.deepEqual(await eventsOf(account), [handled, handled]);
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
    t.deepEqual(
      await eventsOf(account),
      [{ handled: false, deadLetterReason: null }],
      'it may be early',
    );
    await api.test.advance(61 * 60_000);
    await reconcileNow(stage);
    t.deepEqual(await eventsOf(account), [{ handled: true, deadLetterReason: null }]);
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
    const [event] = await eventsOf(account);
    t.false(event!.handled);
    t.regex(event!.deadLetterReason!, /404/);
    t.deepEqual(await rowOf(account), { can_charge: false, is_submitted: false });
  },
);
