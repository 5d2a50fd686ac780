// Money that comes when the buyer's account or the product is gone.
import test from 'ava';
import { newUuid } from '../../domain/shared/ids.ts';
import { openReadyAccount } from '../../packages/simulator/onboard.ts';
import { startFinishRemovedProducts } from '../../worker/jobs/finish-removed-products.ts';
import type { OfferKind } from '../../domain/catalog/product.repository.ts';
import type { Browser } from '../support/pages/browser.ts';
import { changeState } from '../support/catalog/lifecycle.ts';
import { eventually } from '../support/eventually.ts';
import { priceMember } from '../support/subscriptions/memberships.ts';
import { alertsAbout } from '../support/purchases/reconciling.ts';
import { startShop } from '../support/purchases/shop.ts';
import { CARDS, pay } from '../support/purchases/simulator.ts';

const shop = await startShop();
const { knobs, stage, api, goToCheckout } = shop;
await priceMember({ database: api.database, testDatabase: api.test });
const finishing = startFinishRemovedProducts({
  database: api.database,
  logger: stage.logger,
  pollMs: 200,
});
test.after.always(async () => {
  await finishing.stop();
  await shop.close();
});

type Sale = Awaited<ReturnType<typeof goToCheckout>>;

const KINDS: OfferKind[] = ['one_time', 'monthly'];

async function deleteAccount({ browser }: { browser: Browser }): Promise<void> {
  const path = '/settings/delete-account';
  const fields = { password: 'correct horse battery' };
  const answer = await browser.submit(path, { action: path, fields });
  if (answer.status !== 303) throw new Error(`the account was not deleted: ${answer.status}`);
}

async function remove({ product }: { product: { id: string } }): Promise<void> {
  await api.database.transaction((em) => changeState(em, product.id, 'remove'));
}

const THEIR_ENDS = [
  { what: 'a deleted account', reason: 'person_deleted', end: deleteAccount },
  { what: 'a removed product', reason: 'product_removed', end: remove },
];

/** Nothing is held back any more, nor what was. */
async function releaseAll(): Promise<void> {
  await api.test.query('update simulator.knob set events_left = 0');
  await knobs.release();
}

const accessOf = (personId: string) =>
  api.test.query(`select 1 from access_grant where person_id = $1`, [personId]);

/** What is left of it at the processor. */
const keptThere = (sessionId: string) =>
  api.test.query<{ kept: string }>(
    `select s.amount - coalesce((select sum(amount) from simulator.refund r
       where r.intent_id = i.id and r.status = 'succeeded'), 0) as kept
     from simulator.payment_intent i join simulator.checkout_session s on s.id = i.session_id
     where i.session_id = $1 and i.status = 'succeeded'`,
    [sessionId],
  );

const sessionStatus = async (sessionId: string) => {
  const sql = 'select status from simulator.checkout_session where id = $1';
  return (await api.test.query<{ status: string }>(sql, [sessionId]))[0]!.status;
};

async function requireReturned(
  sale: Pick<Sale, 'reaches' | 'sessionId' | 'person' | 'purchaseId' | 'eventNames'>,
): Promise<{ kept: number; access: number; alerts: string[]; told: string[] }> {
  await sale.reaches('refunded');
  const about = () => alertsAbout(stage, sale.purchaseId);
  const isOver = (all: Awaited<ReturnType<typeof about>>) => all.every((each) => each.resolved_at);
  const alerts = await eventually(about, isOver);
  return {
    kept: Number((await keptThere(sale.sessionId))[0]!.kept),
    access: (await accessOf(sale.person.id)).length,
    alerts: alerts.map(({ kind }) => kind),
    told: await sale.eventNames(),
  };
}

const RETURNED = { kept: 0, access: 0, alerts: ['no_order'], told: [] };

for (const { what, end } of THEIR_ENDS) {
  for (const kind of KINDS) {
    test.serial(`money that comes for ${what} is no order (${kind})`, async (t) => {
      const sale = await goToCheckout({ kind });
      await knobs.hold(50);
      await sale.pay(CARDS.succeeds);
      await end(sale);
      t.deepEqual(await requireReturned(sale), RETURNED);
      await releaseAll();
    });
  }

  test.serial(`a payment that clears for days comes too late for ${what}`, async (t) => {
    const sale = await goToCheckout();
    await sale.pay(CARDS.clearsLate);
    await sale.reaches('clearing');
    await end(sale);
    await knobs.passDays(3);
    t.deepEqual(await requireReturned(sale), RETURNED);
  });

  test.serial(`an open checkout ends with ${what}`, async (t) => {
    const sale = await goToCheckout();
    await end(sale);
    await eventually(
      () => sessionStatus(sale.sessionId),
      (status) => status === 'expired',
    );
    await sale.reaches('canceled');
    await sale.pay(CARDS.succeeds);
    t.deepEqual(await keptThere(sale.sessionId), []);
  });
}

async function goToMember() {
  const { browser, person } = await shop.signedIn();
  const response = await browser.get('/member/subscribe?currency=USD&interval=month');
  const url = response.headers.get('location')!;
  const row = async () => {
    const sql = 'select id, status from membership where person_id = $1';
    return (await api.test.query<{ id: string; status: string }>(sql, [person.id]))[0]!;
  };
  const { id } = await row();
  return { browser, person, id, sessionId: url.split('/').at(-1)!, pay: () => pay(url), row };
}

test.serial('money that comes for Member of a deleted account goes back', async (t) => {
  const member = await goToMember();
  await knobs.hold(50);
  await member.pay();
  await deleteAccount(member);
  await eventually(
    () => keptThere(member.sessionId),
    ([left]) => Number(left?.kept) === 0,
  );
  const alerts = await eventually(
    () => alertsAbout(stage, member.id),
    (all) => all.length > 0 && all.every((each) => each.resolved_at),
  );
  t.deepEqual(
    alerts.map(({ kind }) => kind),
    ['no_order'],
  );
  t.is((await member.row()).status, 'ended');
  await releaseAll();
});

test.serial('an open checkout of Member ends with the account', async (t) => {
  const member = await goToMember();
  await deleteAccount(member);
  await eventually(
    () => sessionStatus(member.sessionId),
    (status) => status === 'expired',
  );
  await member.pay();
  t.deepEqual(await keptThere(member.sessionId), []);
});

test.serial('a session that was being opened when the product went is ended too', async (t) => {
  const sale = await goToCheckout();
  const { id } = sale.product;
  await remove(sale);
  await sale.reaches('canceled');
  const open = `select 1 from checkout where product_id = $1 and status = 'open'`;
  t.deepEqual(await api.test.query(open, [id]), []);
  const refused = await sale.browser.get(`/buy/${sale.product.slug}`);
  t.not(refused.headers.get('location')?.startsWith(api.config.processor.apiUrl), true);
});

async function teamOfSeller(isPaid: boolean): Promise<{ id: string; account: string }> {
  const id = newUuid();
  await api.test.query(`insert into team (id, name) values ($1, 'Buyers of products')`, [id]);
  await api.test.query(`insert into team_member values ($1, $2, 'owner')`, [id, shop.seller.id]);
  const account = await openReadyAccount(api.processor, `${id}@example.com`);
  if (isPaid) {
    await api.test.query(
      `insert into payout_account (id, team_id, processor_account, can_charge)
       values (gen_random_uuid(), $1, $2, true)`,
      [id, account],
    );
  }
  return { id, account };
}

async function transfer({ product }: Pick<Sale, 'product'>, team: string): Promise<number> {
  const seller = api.browser();
  await seller.signIn(shop.seller);
  const action = `/console/products/${product.slug}/transfer`;
  return (await seller.submit('/console/roles', { action, fields: { team } })).status;
}

test.serial('renewals of a product that changed hands are paid to its new owner', async (t) => {
  const sale = await goToCheckout({ kind: 'monthly' });
  await sale.pay(CARDS.succeeds);
  await sale.reaches('cleared');
  const team = await teamOfSeller(true);
  t.is(await transfer(sale, team.id), 303);
  const destination = async () => {
    const sql = 'select destination from simulator.subscription where session_id = $1';
    const found = await api.test.query<{ destination: string }>(sql, [sale.sessionId]);
    return found[0]!.destination;
  };
  await eventually(destination, (account) => account === team.account);
  await knobs.passDays(32);
  const renewals = () =>
    api.test.query<{ destination: string }>(
      `select destination from simulator.payment_intent
       where session_id = $1 and is_renewal and status = 'succeeded'`,
      [sale.sessionId],
    );
  const made = await eventually(renewals, (found) => found.length === 1);
  t.deepEqual(made, [{ destination: team.account }]);
});

test.serial('a product with subscribers goes to nobody who cannot be paid', async (t) => {
  const sale = await goToCheckout({ kind: 'monthly' });
  await sale.pay(CARDS.succeeds);
  await sale.reaches('cleared');
  const unpaid = await teamOfSeller(false);
  t.is(await transfer(sale, unpaid.id), 422);
  const paid = await teamOfSeller(true);
  t.is(await transfer(sale, paid.id), 303);
});
