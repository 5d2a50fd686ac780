// The states of a product's seal, and every move between them.
import { SHOWN_SEAL_STATES } from '../catalog/shown-seal.ts';
import { DAY_MS } from '../shared/instant.ts';

export const SEAL_STATES = ['none', 'first_pass', 'held', 'noticed', 'lost'] as const;

export type SealState = (typeof SEAL_STATES)[number];

export const LOSS_REASONS = ['review', 'unlisted', 'removed'] as const;

type LossReason = (typeof LOSS_REASONS)[number];

export const NOTICE_DAYS = 60;

/** Failed reviews in a row that give notice. */
const FAILURES_BEFORE_NOTICE = 2;

/** A product's seal without the times that only people read. */
export type Seal = {
  state: SealState;
  /** Failed reviews in a row while the seal is held. */
  failures: number;
  /** The seal stays at least until then. */
  noticeEndsAt: Date | null;
  /** The state from which an operator restored the seal, until the next review. */
  restoredFrom: 'noticed' | 'lost' | null;
  lossReason: LossReason | null;
};

export type SealEvent =
  | { kind: 'reviewed'; isPassed: boolean; at: Date }
  | { kind: 'closed'; reason: 'unlisted' | 'removed' }
  | { kind: 'restored' };

/** What the people of the product hear of. */
export type SealNews = 'earned' | 'noticed' | 'lost';

type SealChange = { seal: Seal; news: SealNews | null };

export const NO_SEAL: Seal = {
  state: 'none',
  failures: 0,
  noticeEndsAt: null,
  restoredFrom: null,
  lossReason: null,
};

const HELD: Seal = { ...NO_SEAL, state: 'held' };

/** Buyers see the seal. */
export function isShown(state: SealState): boolean {
  const shown: readonly SealState[] = SHOWN_SEAL_STATES;
  return shown.includes(state);
}

/** A notice may be appealed against, and a loss by a review: no other loss says that there was a seal. */
export function mayAppeal({ state, lossReason }: Pick<Seal, 'state' | 'lossReason'>): boolean {
  return state === 'noticed' || (state === 'lost' && lossReason === 'review');
}

type Answer = { outcome: string | null; answeredAt: Date | null };

/** A declined appeal stands until a later review: nobody asks the next operator at once. */
export function mayNotAppealYet(appeal: Answer | null, reviewedAt: Date | null): boolean {
  if (appeal?.outcome !== 'declined' || appeal.answeredAt === null) return false;
  return reviewedAt === null || reviewedAt <= appeal.answeredAt;
}

/** The seal after an event; null when the event has no meaning in this state. */
export function decideSeal(seal: Seal, event: SealEvent): SealChange | null {
  if (event.kind === 'restored') return restore(seal);
  if (event.kind === 'closed') return lose(seal, event.reason);
  return event.isPassed ? pass(seal) : fail(seal, event.at);
}

/** Two passes in a row earn a seal, a lost one too; a pass ends a notice. */
function pass(seal: Seal): SealChange {
  if (seal.state === 'first_pass') return { seal: HELD, news: 'earned' };
  if (isShown(seal.state)) return { seal: HELD, news: null };
  return { seal: { ...NO_SEAL, state: 'first_pass' }, news: null };
}

/** Two failures in a row give notice, and a failure after its end loses the seal. */
function fail(seal: Seal, at: Date): SealChange {
  switch (seal.state) {
    case 'none':
    case 'first_pass':
      return { seal: NO_SEAL, news: null };
    case 'lost':
      return { seal, news: null };
    case 'noticed':
      return failUnderNotice(seal, at);
    case 'held':
      return failWhileHeld(seal, at);
  }
}

function failUnderNotice(seal: Seal, at: Date): SealChange {
  return seal.noticeEndsAt !== null && at < seal.noticeEndsAt
    ? { seal, news: null }
    : lose(seal, 'review');
}

function failWhileHeld(seal: Seal, at: Date): SealChange {
  const failures = seal.failures + 1;
  // An operator's word holds until this review: what it held up goes on.
  if (seal.restoredFrom === 'lost') return lose(seal, 'review');
  if (seal.restoredFrom === 'noticed') {
    return failUnderNotice({ ...seal, state: 'noticed', restoredFrom: null, failures }, at);
  }
  if (failures < FAILURES_BEFORE_NOTICE) return { seal: { ...seal, failures }, news: null };
  const noticeEndsAt = new Date(at.getTime() + NOTICE_DAYS * DAY_MS);
  return { seal: { ...seal, state: 'noticed', failures, noticeEndsAt }, news: 'noticed' };
}

function lose({ state }: Seal, lossReason: LossReason): SealChange {
  const news = isShown(state) ? 'lost' : null;
  return { seal: { ...NO_SEAL, state: 'lost', lossReason }, news };
}

function restore(seal: Seal): SealChange | null {
  if (!mayAppeal(seal)) return null;
  const restoredFrom = seal.state === 'noticed' ? 'noticed' : 'lost';
  return { seal: { ...HELD, noticeEndsAt: seal.noticeEndsAt, restoredFrom }, news: null };
}
