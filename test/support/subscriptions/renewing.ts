import { ENTITIES } from '../../../domain/entities.ts';
import { activateProduct } from '../../../domain/entitlements/memberships/activated-products.repository.ts';
import { openDatabase } from '../../../platform/database/database.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import {
  attachMemberSession,
  openMembership,
} from '../../../domain/billing/memberships/membership-billing.repository.ts';
import { goToCheckout, purchaseIdOf } from '../purchases/buyer.ts';
import { eventually } from '../eventually.ts';
import { priceMember } from './memberships.ts';
import type { Platform } from '../engines/platform.ts';
import { addOffer } from '../catalog/scene.ts';
import { CARDS, pay } from '../purchases/simulator.ts';

/** Of something that is renewed: who has it, where, and how often it was told of and paid for. */
export type Renewing = {
  slug: string;
  personId: string;
  payer: 'purchase_id' | 'membership_id';
  id: string;
};

// A killed worker's activities are noticed by their timeouts.
const TIMEOUT_MS = 120_000;

/** Somebody with a subscription to the demo's first product, and a member who has opened its second. */
export async function startRenewing(platform: Platform): Promise<Renewing[]> {
  return [await subscribe(platform), await becomeMember(platform)];
}

async function subscribe({ demo, database }: Platform): Promise<Renewing> {
  const { id: productId, slug } = demo.products[0]!;
  const { offerId } = await addOffer(database, { productId, kind: 'monthly' });
  const path = `/buy/${slug}?offer=${offerId}`;
  const { person, pay: submit } = await goToCheckout(demo, { handle: 'ben', path });
  const id = purchaseIdOf(await submit(CARDS.succeeds));
  const begun = `select 1 from subscription where purchase_id = $1 and period_end is not null`;
  await untilFound({ database, sql: begun, id });
  return { slug, personId: person.id, payer: 'purchase_id', id };
}

async function becomeMember(platform: Platform): Promise<Renewing> {
  const { demo, database: testDatabase, processor } = platform;
  const { id: productId, slug } = demo.products[1]!;
  const { id: personId } = demo.people.find(({ handle }) => handle === 'bob')!;
  const { url } = testDatabase;
  const database = openDatabase({ url, listenUrl: url, name: 'test', entities: ENTITIES });
  const price = await priceMember({ database, testDatabase });
  const opened = await database.transaction((em) => openMembership(em, { personId, price }));
  if (!opened || isRefusal(opened)) throw new Error('the membership was not opened');
  const { membershipId: id } = opened;
  const { amountMinor, currency, billingInterval: interval } = price;
  const session = await processor.openCheckout({
    checkoutId: id,
    membershipId: id,
    productName: 'Member',
    amountMinor,
    currency,
    customerEmail: 'bob@example.com',
    payoutAccount: null,
    recurring: { interval },
    applicationFeeMinor: 0,
    applicationFeeBasisPoints: 0,
    successUrl: 'http://127.0.0.1:9/done',
    cancelUrl: 'http://127.0.0.1:9/',
  });
  await attachMemberSession(database.em(), id, session);
  await pay(session.url);
  const begun = `select 1 from membership where id = $1 and status = 'active'`;
  await untilFound({ database: testDatabase, sql: begun, id });
  await database.transaction((em) => activateProduct(em, { personId, productId }));
  await database.close();
  return { slug, personId, payer: 'membership_id', id };
}

type Sought = Pick<Platform, 'database'> & { sql: string; id: string };

async function untilFound({ database, sql, id }: Sought): Promise<void> {
  await eventually(
    () => database.query(sql, [id]),
    (found) => found.length > 0,
  );
}

/** A month goes by; answers once the processor has told us of so many renewals in all. */
export async function passMonth(
  { database }: Platform,
  { renewing, times }: { renewing: Renewing[]; times: number },
): Promise<void> {
  await database.advance(31 * 86_400_000);
  for (const { payer, id } of renewing) {
    await eventually(
      () =>
        database.query(
          `select 1 from processor_event where ${payer} = $1 and type = 'invoice.paid'`,
          [id],
        ),
      // The first one is that of the beginning.
      (received) => received.length > times,
    );
  }
}

/** What its product was told of it, and how often it was paid for, once so many renewals were told. */
export async function untilRenewed(
  { database, demo }: Platform,
  { renewing: { slug, personId, payer, id }, times }: { renewing: Renewing; times: number },
) {
  const product = demo.products.find((each) => each.slug === slug)!;
  const told = async () => {
    const found = await database.query<{ name: string }>(
      `select name from event where product_id = $1 and data ->> 'user_id' = $2
         and name like 'entitlement.%' order by created_at, id`,
      [product.id, personId],
    );
    return found.map(({ name }) => name);
  };
  const isTold = (names: string[]) =>
    names.filter((name) => name === 'entitlement.renewed').length >= times;
  await eventually(told, isTold, TIMEOUT_MS);
  await eventually(
    () =>
      database.query(`select 1 from processor_event where ${payer} = $1 and handled_at is null`, [
        id,
      ]),
    (left) => left.length === 0,
    TIMEOUT_MS,
  );
  const paid = await database.query(`select 1 from payment where ${payer} = $1`, [id]);
  return { names: await told(), payments: paid.length };
}
