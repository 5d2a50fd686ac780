import type { Database } from '../../../platform/database/database.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { readAccess } from '../../../domain/entitlements/access.query.ts';
import {
  activateProduct,
  notifyActivated,
} from '../../../domain/entitlements/memberships/activated-products.repository.ts';
import { applyMembership } from '../../../domain/billing/memberships/apply-membership.command.ts';
import {
  setMemberPrice,
  listMemberPrices,
} from '../../../domain/billing/memberships/member-price.repository.ts';
import {
  takeMembershipFencingToken,
  type MembershipFencingToken,
} from '../../../domain/billing/memberships/membership-view.repository.ts';
import type { Returns } from '../../../domain/billing/memberships/membership-money.repository.ts';
import { openMembership } from '../../../domain/billing/memberships/membership-billing.repository.ts';
import {
  requestChange,
  type RequestedChange,
} from '../../../domain/billing/recurring/change-request.repository.ts';
import type { BillingInterval } from '../../../domain/billing/recurring/billing-interval.ts';
import type { TestDatabase } from '../engines/database.ts';
import { addProduct } from '../catalog/scene.ts';
import { describeReading, type Said } from './subscriptions.ts';

export const MEMBER_PRICE_MINOR = 999;

export type Member = {
  personId: string;
  membershipId: string;
  processorId: string;
  /** The instant from which the processor counts its days. */
  anchor: Date;
};

const NO_RETURNS: Returns = { refunds: [], disputes: [] };

/** The price of Member, set by somebody who runs the platform. */
export async function priceMember(
  { database, testDatabase }: { database: Database; testDatabase: TestDatabase },
  billingInterval: BillingInterval = 'month',
) {
  const amountMinor = billingInterval === 'month' ? MEMBER_PRICE_MINOR : 10 * MEMBER_PRICE_MINOR;
  const find = async () =>
    (await listMemberPrices(database.em())).find(
      (price) =>
        price.currency === 'USD' &&
        price.billingInterval === billingInterval &&
        price.amountMinor === amountMinor,
    );
  const found = await find();
  if (found) return found;
  const { personId: byId } = await addProduct(testDatabase);
  const price = { currency: 'USD', billingInterval, amountMinor, byId };
  await database.transaction((em) => setMemberPrice(em, price));
  return (await find())!;
}

type Parts = { testDatabase: TestDatabase; database: Database };

/** Memberships for 9.99 USD a month as their actor leaves them, without the actor. */
export function createMemberships(parts: Parts) {
  const { testDatabase, database } = parts;

  /** Opened, and nothing paid. */
  async function intend(person?: string, interval: BillingInterval = 'month'): Promise<Member> {
    const price = await priceMember(parts, interval);
    const personId = person ?? (await addProduct(testDatabase)).personId;
    const opened = await database.transaction((em) => openMembership(em, { personId, price }));
    if (!opened || isRefusal(opened)) throw new Error('the membership was not opened');
    const { membershipId } = opened;
    const anchor = (await testDatabase.query<{ now: Date }>('select gatehouse_now() as now'))[0]!;
    return { personId, membershipId, processorId: `sim_${membershipId}`, anchor: anchor.now };
  }

  const fenceFor = ({ membershipId }: Member) =>
    database.transaction((em) => takeMembershipFencingToken(em, membershipId));

  async function hear(
    member: Member,
    said: Said & { returns?: Returns } = {},
    known?: MembershipFencingToken,
  ): Promise<void> {
    const fence = known ?? (await fenceFor(member));
    const { processorId, anchor, membershipId } = member;
    const charged = { processorId, anchor, name: membershipId, amountMinor: MEMBER_PRICE_MINOR };
    const reading = describeReading(charged, said);
    const told = { fence, reading, returns: said.returns ?? NO_RETURNS, processor: 'simulator' };
    await database.transaction((em) => applyMembership(em, told));
    await tellAll(member);
  }

  async function tellAll({ membershipId }: Member): Promise<number> {
    let batches = 0;
    while (await database.transaction((em) => notifyActivated(em, membershipId))) batches += 1;
    return batches;
  }

  return {
    ...createMembershipViews(parts),
    ...createIncluded(parts),
    intend,
    fenceFor,
    hear,
    tellAll,
    async subscribe(person?: string): Promise<Member> {
      const member = await intend(person);
      await hear(member);
      return member;
    },
    async requestChange({ membershipId }: Member, change: RequestedChange) {
      const asked = await database.transaction((em) => requestChange(em, { membershipId, change }));
      return isRefusal(asked) ? asked.refused : 'requested';
    },
    newPerson: async () => (await addProduct(testDatabase)).personId,
    newId: newUuid,
  };
}

/** Included products, and what a member opens of them. */
function createIncluded({ testDatabase, database }: Parts) {
  const included = async () => (await addProduct(testDatabase, { isIncluded: true })).productId;
  const open = ({ personId }: Member, productId: string) =>
    database.transaction((em) => activateProduct(em, { personId, productId }));
  return {
    included,
    open,
    /** So many Included products, of one owner, that they have opened one after the other. */
    async includedAndOpened({ personId }: Member, count: number): Promise<string[]> {
      const products = await addIncluded(testDatabase, count);
      await database.transaction(async (em) => {
        for (const productId of products) await activateProduct(em, { personId, productId });
      });
      return products;
    },
    /** An Included product that they have opened. */
    async openedBy(member: Member): Promise<string> {
      const productId = await included();
      await open(member, productId);
      return productId;
    },
  };
}

async function addIncluded(testDatabase: TestDatabase, count: number): Promise<string[]> {
  const { personId } = await addProduct(testDatabase);
  const made = await testDatabase.query<{ id: string }>(
    `insert into product (id, owner_person_id, name, tagline, state, included_with_member)
     select time_ordered_id(), $1, 'P', '', 'listed', true from generate_series(1, $2::int)
     returning id`,
    [personId, count],
  );
  return made.map(({ id }) => id);
}

/** What the database says of them. */
function createMembershipViews({ testDatabase, database }: Parts) {
  const accessOf = ({ personId }: Member, productId: string) =>
    readAccess(database.pool, { productId, personId });
  /** What a product was told, the oldest first. */
  async function told(
    productId: string,
  ): Promise<{ name: string; data: Record<string, unknown> }[]> {
    const sql = 'select name, data from event where product_id = $1 order by created_at, id';
    return testDatabase.query(sql, [productId]);
  }
  return {
    told,
    namesOf: async (productId: string) => (await told(productId)).map(({ name }) => name),
    accessOf,
    isOpen: async (member: Member, productId: string) =>
      (await accessOf(member, productId)).isActive,
    alertsOf: ({ membershipId }: Member) =>
      testDatabase.query('select kind, times from alert where subject = $1', [membershipId]),
    async rowOf({ membershipId }: Member): Promise<Record<string, unknown>> {
      const sql = 'select * from membership where id = $1';
      return (await testDatabase.query<Record<string, unknown>>(sql, [membershipId]))[0]!;
    },
    async ledgerOf({ membershipId }: Member): Promise<Record<string, number>> {
      const found = await testDatabase.query<{ account: string; sum: number }>(
        `select e.account, sum(e.amount_minor)::int as sum from ledger_entry e
         join payment p on p.id = e.payment_id where p.membership_id = $1 group by e.account`,
        [membershipId],
      );
      return Object.fromEntries(found.map(({ account, sum }) => [account, sum]));
    },
    payments: ({ membershipId }: Member) =>
      testDatabase.query<{ id: string; status: string; processorId: string }>(
        `select id, status, processor_id as "processorId" from payment where membership_id = $1
         order by created_at, id`,
        [membershipId],
      ),
    refundsOf: ({ membershipId }: Member) =>
      testDatabase.query<{ amount: number; status: string }>(
        `select r.amount_minor::int as amount, r.status from refund r
         join payment p on p.id = r.payment_id where p.membership_id = $1 order by r.id`,
        [membershipId],
      ),
  };
}
