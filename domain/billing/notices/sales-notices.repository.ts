// Sellers are mailed about the first three sales of a day one by one, and about all of a busier day once.
import { sql } from 'kysely';
import {
  queueGathered,
  queueMoneyMail,
  type MoneyFacts,
} from '../../identity/mail/mail.repository.ts';
import { notify } from '../../notifications/notification.repository.ts';
import { findSellers, SELLERS, type Recipient } from '../../notifications/recipients.repository.ts';
import { now, type EntityManager } from '../../../platform/database/database.ts';
import { anyOf, total } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';

import { formatMoney } from '../../shared/money.ts';
import { HOUR_MS, toDay, writeDay } from '../../shared/instant.ts';

const PLACES = [1, 2, 3];

/** Belongs in the transaction in which the purchase clears, where its receipt is written once. */
export async function notifyOfSale(em: EntityManager, purchaseId: string): Promise<void> {
  const sale = await kysely(em)
    .selectFrom('receipt')
    .innerJoin('purchase', 'purchase.id', 'receipt.purchaseId')
    .leftJoin('productSlug as slug', (join) =>
      join.onRef('slug.productId', '=', 'purchase.productId').on('slug.isCurrent', '=', true),
    )
    .select(['purchase.productId', 'receipt.productName', 'slug.slug'])
    .select(['receipt.grossMinor', 'receipt.currency'])
    .where('receipt.purchaseId', '=', purchaseId)
    .executeTakeFirst();
  if (!sale) return;
  const { productId, productName, slug, grossMinor, currency } = sale;
  const amount = formatMoney(grossMinor, currency);
  const facts = { product: productName, amount, purchase: purchaseId, ...(slug ? { slug } : {}) };
  const { audience, people } = await findSellers(em, productId);
  const day = toDay(await now(em));
  const mailed = await countMailed(em, { people, day });
  let isMailed = false;
  for (const person of people) {
    const before = mailed.get(person.personId) ?? 0;
    if (before > PLACES.length) continue;
    isMailed = (await mailSale(em, { person, day, before, facts })) || isMailed;
  }
  if (isMailed) await notify(em, { kind: 'sale_made', productId, audience, data: facts });
}

type Day = { people: readonly Recipient[]; day: string };

/** The mails of the day, the gathering one included. */
async function countMailed(em: EntityManager, { people, day }: Day): Promise<Map<string, number>> {
  const counted = await kysely(em)
    .selectFrom('mailToken')
    .select(['personId'])
    .select(({ fn }) => fn.countAll<number>().as('mails'))
    .where('personId', '=', anyOf(people.map(({ personId }) => personId)))
    .where('purpose', 'in', ['sale_made', 'sales_of_day'])
    .where('subject', 'in', [day, ...PLACES.map((place) => `${day}:${place}`)])
    .groupBy('personId')
    .execute();
  return new Map(counted.map(({ personId, mails }) => [personId!, mails]));
}

type Sale = { person: Recipient; day: string; before: number; facts: MoneyFacts };

/** A place of the day is taken once: of two sales at the same moment each gets one of its own. */
async function mailSale(em: EntityManager, { person, day, before, facts }: Sale): Promise<boolean> {
  for (const place of PLACES.slice(before)) {
    const mail = { purpose: 'sale_made', subject: `${day}:${place}`, facts, ...person } as const;
    if (await queueMoneyMail(em, mail)) return true;
  }
  await queueMoneyMail(em, { purpose: 'sales_of_day', subject: day, facts: null, ...person });
  return false;
}

/** Queues one mail about a day that is over; false when there is none. */
export async function queueSalesDigest(em: EntityManager): Promise<boolean> {
  // A sale of the day's last minute may still be committing.
  const anHourAgo = new Date((await now(em)).getTime() - HOUR_MS);
  const today = toDay(anHourAgo);
  const gathered = await kysely(em)
    .selectFrom('mailToken')
    .select(['id', 'personId', 'subject'])
    .where('purpose', '=', 'sales_of_day')
    .where('facts', 'is', null)
    .where('subject', '<', today)
    .orderBy('subject')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!gathered) return false;
  const { id, personId, subject } = gathered;
  const facts = await describeDay(em, { personId: personId!, day: subject! });
  await queueGathered(em, { id, facts });
  return true;
}

const MOST_NAMED = 20;

type Seller = { personId: string; day: string };

async function describeDay(em: EntityManager, { personId, day }: Seller): Promise<MoneyFacts> {
  const start = sql<Date>`(${day}::date at time zone 'UTC')`;
  const sold = await kysely(em)
    .selectFrom('product')
    .leftJoin('teamMember as member', (join) =>
      join
        .onRef('member.teamId', '=', 'product.ownerTeamId')
        .on('member.personId', '=', personId)
        .on('member.role', '=', anyOf(SELLERS)),
    )
    .innerJoin('purchase', 'purchase.productId', 'product.id')
    .innerJoin('receipt', 'receipt.purchaseId', 'purchase.id')
    .select(['product.name', 'receipt.currency'])
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      total(fn.sum('receipt.grossMinor')).as('grossMinor'),
    ])
    .where(({ eb, or }) =>
      or([eb('product.ownerPersonId', '=', personId), eb('member.personId', 'is not', null)]),
    )
    .where('receipt.issuedAt', '>=', start)
    .where('receipt.issuedAt', '<', sql<Date>`${start} + interval '1 day'`)
    .groupBy(['product.id', 'receipt.currency'])
    .orderBy('count', 'desc')
    .orderBy('product.name')
    .execute();
  const count = sold.reduce((sum, each) => sum + each.count, 0);
  const named = sold
    .slice(0, MOST_NAMED)
    .map(
      ({ name, currency, count: sales, grossMinor }) =>
        `${name}: ${sales} for ${formatMoney(grossMinor, currency)}`,
    );
  const rest = sold.length > MOST_NAMED ? ['and others'] : [];
  const sales = [...named, ...rest].join('\n');
  return { day: writeDay(new Date(day)), count: String(count), sales };
}
