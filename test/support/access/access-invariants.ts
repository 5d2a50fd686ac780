import assert from 'node:assert/strict';
import { readAccess } from '../../../domain/entitlements/access.query.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { TestDatabase } from '../engines/database.ts';
import { firstOf, type Gone } from '../money/invariants.ts';
import {
  readFacts,
  type Charge,
  type Facts,
  type FailedRenewals,
  type LiveSource,
} from './access-facts.ts';

type Known = Pick<TestDatabase, 'query'> & Pick<Database, 'pool'>;
type Of = { personId: string; productId: string; sessions: string[]; gone: Gone };

/** What holds of both kinds of access whatever has happened, once everything was heard and followed. */
export async function requireAccessInvariants({ query, pool }: Known, of: Of): Promise<void> {
  const facts = await readFacts({ query }, of);
  assert.equal(facts.unhandled, 0, 'every word of the processor is followed');
  assert.equal(facts.untold, 0, 'every change of a membership is told');
  for (const charge of facts.charges) requireBooked(charge);
  assert.deepEqual(facts.unbalanced, [], 'what the ledger says of them sums to zero');
  requireSameAsProcessor(facts);
  const { isActive } = await readAccess(pool, of);
  const { gone } = of;
  if (firstOf(gone)) assert.equal(isActive, false, 'nobody has access who is gone, nor to what is');
  assert.equal(isActive, facts.sources.length > 0, `access is the union: ${show(facts.sources)}`);
  for (const charge of facts.charges) requireAccessOrReturn(charge, { isActive, facts, gone });
  for (const source of facts.sources) requirePaid(source, facts);
  requireTold(facts);
  for (const each of facts.failed) requireFailuresTold(each, facts);
}

const show = (value: unknown) => JSON.stringify(value);

function isBack({ gross, refunded, lost }: Charge): boolean {
  return refunded + lost >= gross;
}

function requireBooked(charge: Charge): void {
  const { bookings, buyer, refunded, lost, gross, isWaiting } = charge;
  assert.equal(bookings, 1, `money that came is booked once: ${show(charge)}`);
  assert.equal(buyer, refunded + lost - gross, `the ledger says what is true: ${show(charge)}`);
  assert.equal(isWaiting, false, `no refund is left undone: ${show(charge)}`);
}

/** What ended here has ended there and the reverse; what runs is paid for, or in grace. */
function requireSameAsProcessor({ renewed, charges }: Facts): void {
  for (const each of renewed) {
    const { payer, status, processorStatus, isClosing, isInTime } = each;
    assert.equal(isClosing, false, `what is to end at the processor has: ${show(each)}`);
    if (processorStatus === null) continue;
    const isOver = status === 'ended';
    assert.equal(processorStatus === 'canceled', isOver, `it runs here and there: ${show(each)}`);
    if (isOver) continue;
    assert.ok(isInTime, `nothing runs without money: ${show(each)}`);
    const current = charges.filter(
      ({ purchaseId, membershipId, isCurrent }) =>
        isCurrent && (purchaseId ?? membershipId) === payer,
    );
    assert.ok(!current.some(isBack), `what is back ends what it paid for: ${show(charges)}`);
  }
}

/** No charge without access or its return. */
function requireAccessOrReturn(
  charge: Charge,
  { isActive, facts, gone }: { isActive: boolean; facts: Facts; gone: Gone },
): void {
  const about = show(charge);
  if (isBack(charge)) return;
  if (charge.isSentBack)
    return assert.ok(charge.isTroubled, `what was no order goes back: ${about}`);
  const goneAt = charge.membershipId ? gone.leftAt : firstOf(gone);
  if (goneAt) return assert.ok(charge.bookedAt! <= goneAt, `late money is no order: ${about}`);
  if (charge.membershipId && gone.removedAt) return;
  if (charge.isCurrent)
    assert.ok(isActive, `what is paid for gives access: ${about} ${show(facts)}`);
}

/** Each source of access is a gift, or paid for by money that is not back. */
function requirePaid(source: LiveSource, { charges, purchases, renewed }: Facts): void {
  if (source.type === 'complimentary') return;
  if (source.type === 'member') return requirePaidMembership(source, { charges, renewed });
  const purchase = purchases.find(({ id }) => id === source.source)!;
  const about = show({ source, purchase, charges, renewed });
  const paid = charges.filter((charge) => charge.purchaseId === purchase.id && !isBack(charge));
  assert.ok(paid.length > 0, `access is paid for: ${about}`);
  if (purchase.isOnce) assert.equal(purchase.status, 'cleared', about);
}

/** Running or ended: what it opens was paid for, and the money of this period is not back. */
function requirePaidMembership(
  source: LiveSource,
  { charges, renewed }: Pick<Facts, 'charges' | 'renewed'>,
): void {
  const about = show({ source, charges, renewed });
  const of = charges.filter(({ membershipId }) => membershipId === source.source);
  assert.ok(
    of.some((charge) => !isBack(charge)),
    `a membership is paid for: ${about}`,
  );
  const isGone = of.some((charge) => charge.isCurrent && isBack(charge));
  assert.ok(!isGone, `money that is back gives nothing: ${about}`);
}

const LOSSES = ['entitlement.expired', 'entitlement.refunded'];

/** Each change is told once and in order, and what was told last is what is. */
function requireTold(facts: Facts): void {
  const { told, sources, announced, purchases, charges } = facts;
  const entitlements = told.filter(({ name }) => name.startsWith('entitlement.'));
  const about = entitlements.map(({ name, data }) => `${name}:${data['active']}`).join(' ');
  let isOn = false;
  let end: unknown = null;
  for (const { name, data } of entitlements) {
    const isLoss = data['active'] === false;
    assert.equal(name === 'entitlement.created', !isOn, `told in order: ${about}`);
    assert.ok(!LOSSES.includes(name) || isLoss, `a loss is one: ${about}`);
    // Beside a membership that was not opened a cancellation has no end to tell of: what is said is what holds.
    const isOpenEnd = data['ends_at'] === null;
    const isToldAgain = !isOpenEnd && end === data['ends_at'];
    const isRepeated = name === 'entitlement.canceled' && !isLoss && isToldAgain;
    assert.ok(!isRepeated, `told twice: ${about}`);
    isOn = !isLoss;
    end = data['ends_at'];
  }
  const toldOf = sources.filter(({ isTold }) => isTold);
  assert.equal(isOn, toldOf.length > 0, `what was told last is what is: ${about} ${show(facts)}`);
  assert.equal(announced.isActive, isOn, `what was announced is what was told: ${about}`);
  if (isOn) requireAnnouncedEnd(facts, toldOf);
  for (const { id, wasCleared } of purchases) {
    const completed = told.filter(
      ({ name, data }) => name === 'purchase.completed' && data['purchase_id'] === id,
    );
    assert.equal(completed.length, wasCleared ? 1 : 0, 'completed is told once');
  }
  const renewals = charges.filter(({ isRenewal, isSentBack }) => isRenewal && !isSentBack);
  const renewed = entitlements.filter(({ name }) => name === 'entitlement.renewed');
  assert.ok(renewed.length <= renewals.length, `each renewal is told once: ${about}`);
}

/** Each try that failed is told at most once, and of a bill that is unpaid now each is. */
function requireFailuresTold(failed: FailedRenewals, { told }: Facts): void {
  const { purchaseId, tries, current, isInGrace } = failed;
  const events = told.filter(
    ({ name, data }) =>
      name === 'subscription.payment_failed' && data['purchase_id'] === purchaseId,
  );
  const about = show({ failed, events });
  assert.ok(events.length <= tries, `each failed try is told once: ${about}`);
  if (isInGrace) assert.ok(events.length >= current, `each failed try is told: ${about}`);
}

/** Grace of a membership begins in silence; everything else that moves the end is known. */
function requireAnnouncedEnd({ announced }: Facts, told: LiveSource[]): void {
  if (told.some(({ type }) => type === 'member')) return;
  const ends = told.map(({ endsAt }) => endsAt?.getTime() ?? Number.POSITIVE_INFINITY);
  const end = announced.endsAt?.getTime() ?? Number.POSITIVE_INFINITY;
  assert.equal(end, Math.max(...ends), 'the end that was announced is the end');
}
