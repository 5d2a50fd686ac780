// The Members of the demo, and what they paid in the months before this one.
import { IncludedSpan, PayoutAccount } from '../../../domain/catalog/product.entity.ts';
import { Person } from '../../../domain/identity/person.entity.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { addMonths, HOUR_MS } from '../../../domain/shared/instant.ts';
import { insertCharges } from './charges.ts';

const MONTHS = 3;
/** The currency in which the demo's store sells Member. */
export const STORE_CURRENCY = 'USD';

const MONTHLY = 'Ines Jonas Kofi Lena Milo Nora Otto Pia Quinn Rosa Sami'.split(' ');
const YEARLY = 'Uma';
const REFUNDED = 'Vito';
/** Uses Night Shift alone. */
const NIGHT_OWL = 'Tara';
/** Pays, and uses nothing. */
const IDLE = 'Wren';
/** The demo's own Member: her membership was over, and she subscribes again today. */
const RETURNED = 'Mia';
const NAMES = [...MONTHLY, YEARLY, REFUNDED, NIGHT_OWL, IDLE];

/** The Members that use a product, beside the demo's own Member. */
const USED: Record<string, readonly string[]> = {
  'tide-table': [...MONTHLY, YEARLY, REFUNDED],
  'night-shift': [NIGHT_OWL, 'Ines', 'Kofi', 'Milo', 'Pia'],
};

/** The ids of Members by name. */
export type Members = Map<string, string>;

/** The first days of the months before that of an instant, the oldest first. */
export function pastMonths(at: Date): Date[] {
  return Array.from({ length: MONTHS }, (_, index) => addMonths(at, index - MONTHS));
}

export function membersOf(members: Members, slug: string): string[] {
  return (USED[slug] ?? []).flatMap((name) => members.get(name) ?? []);
}

/** `memberId` is the demo's own Member, who paid with them. */
export async function createMembers(
  em: EntityManager,
  { memberId, at }: { memberId: string; at: Date },
): Promise<Members> {
  const known = await em.find(Person, { handle: { $in: NAMES.map(handleOf) } });
  const idOf = new Map(known.map(({ handle, id }) => [handle, id]));
  if (known.length > 0) return new Map(NAMES.map((name) => [name, idOf.get(handleOf(name))!]));
  const createdAt = addMonths(at, -MONTHS - 2);
  const people = NAMES.map((name) => ({ id: newUuid(), name }));
  await em.insertMany(
    Person,
    people.map(({ id, name }) => {
      const handle = handleOf(name);
      const email = `${handle}@example.com`;
      return { id, handle, displayName: name, email, emailVerifiedAt: createdAt, createdAt };
    }),
  );
  const payers = [{ id: memberId, name: RETURNED }, ...people];
  const members = payers.map(({ id: personId, name }, index) => {
    const billingInterval = name === YEARLY ? ('year' as const) : ('month' as const);
    const isRefunded = name === REFUNDED;
    return { personId, billingInterval, paidAt: daysOfPayment(at, { name, index }), isRefunded };
  });
  await insertCharges(em, { currency: STORE_CURRENCY, members, at });
  return new Map(people.map(({ name, id }) => [name, id]));
}

/**
 * Returns one day in each past month, and one in this month where its time has come and the
 * membership went on.
 */
function daysOfPayment(at: Date, { name, index }: { name: string; index: number }): Date[] {
  const past = pastMonths(at);
  const thisMonth = name === RETURNED ? [] : [addMonths(at, 0)];
  const months = name === YEARLY ? past.slice(0, 1) : [...past, ...thisMonth];
  return months
    .map((month) => new Date(month.getTime() + (index * 29 + 9) * HOUR_MS))
    .filter((instant) => instant < at);
}

type DemoProduct = { id: string; slug: string; included_with_member: boolean };

/**
 * Makes Tide Table Included in the demo's past months as it is now, and Night Shift until this
 * month. Writes as the owner of the database: the application leaves these rows to their trigger.
 */
export async function lengthenSpans(
  em: EntityManager,
  { products, at }: { products: readonly DemoProduct[]; at: Date },
): Promise<void> {
  const [startedAt] = pastMonths(at);
  for (const { id: productId, slug, included_with_member: isIncluded } of products) {
    if (isIncluded) {
      const open = { productId, endedAt: null, startedAt: { $gt: startedAt! } };
      await em.nativeUpdate(IncludedSpan, open, { startedAt: startedAt! });
    }
    const isKnown = (await em.count(IncludedSpan, { productId })) > 0;
    if (slug !== 'night-shift' || isKnown) continue;
    const endedAt = addMonths(at, 0);
    await em.insert(IncludedSpan, { productId, startedAt: startedAt!, endedAt });
  }
}

/** The pool's payouts to these owners need no operator's yes. */
export async function confirmPayouts(
  em: EntityManager,
  { operatorId, at }: { operatorId: string; at: Date },
): Promise<void> {
  const confirmed = { poolConfirmedAt: at, poolConfirmedBy: operatorId };
  await em.nativeUpdate(PayoutAccount, { poolConfirmedAt: null }, confirmed);
}

function handleOf(name: string): string {
  return name.toLowerCase();
}
