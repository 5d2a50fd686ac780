// How much of the requests is logged. Everywhere a part is left for refusals: whoever looks for a
// mistake looks for them.
import { MINUTE_MS } from '../shared/instant.ts';

/** The rows of one key or client in a minute. */
export const MOST_OF_CREDENTIAL = 200;

/**
 * The rows of one process in a second: the log costs the same however many requests come. A row
 * costs about a quarter of a request, so that more of them would be felt where one caller asks in
 * turn (Q4).
 */
export const MOST_OF_PROCESS = 50;

/** Rows of all products of one team or builder in a second, so that these do not silence the others. */
export const MOST_OF_OWNER = 15;

/**
 * The part of `MOST_OF_PROCESS` that owners do not share, so that several busy ones do not silence
 * the others: an owner's first request in a second is taken from it, this often in a minute. A draft
 * has no users who wait for its team: its requests take nothing from it.
 */
const RESERVED = { ofSecond: 20, ofOwnerAndMinute: 20 } as const;

/** A day of a product. Nine days, with the one that ends and the one that begins: 99,000 rows. */
export const MOST_OF_DAY = { successes: 7_000, refusals: 4_000 } as const;

const SHARED = MOST_OF_PROCESS - RESERVED.ofSecond;

const SECOND_MS = 1_000;
const DAY_S = 86_400;

type Taken = { all: number; successes: number };

export type LogSampling = {
  /** True when the request is logged; it is counted then. */
  takes(request: {
    credential: string;
    /** The team or person whose product it is; the product itself until its owner is known. */
    owner: string;
    isDraft: boolean;
    isRefusal: boolean;
    nowMs: number;
  }): boolean;
};

/** The budget of one process. */
export function createLogSampling(): LogSampling {
  let [minute, second] = [0, 0];
  let [shared, reserved] = [nothing(), nothing()];
  let ofOwners = new Map<string, Taken>();
  // No more entries than the process takes rows in a minute.
  let ofCredentials = new Map<string, Taken>();
  let ofReserve = new Map<string, number>();
  return {
    takes({ credential, owner, isDraft, isRefusal, nowMs }) {
      const [thisMinute, thisSecond] = [floor(nowMs, MINUTE_MS), floor(nowMs, SECOND_MS)];
      if (thisSecond !== second) {
        [shared, reserved, ofOwners] = [nothing(), nothing(), new Map()];
      }
      if (thisMinute !== minute) [ofCredentials, ofReserve] = [new Map(), new Map()];
      [minute, second] = [thisMinute, thisSecond];
      const ofOwner = ofOwners.get(owner) ?? nothing();
      const fromReserve = ofReserve.get(owner) ?? 0;
      const mayReserve = !isDraft && ofOwner.all === 0 && fromReserve < RESERVED.ofOwnerAndMinute;
      const isReserved = mayReserve && hasRoom(reserved, { isRefusal, most: RESERVED.ofSecond });
      const ofProcess = isReserved ? reserved : shared;
      if (!isReserved && !hasRoom(shared, { isRefusal, most: SHARED })) return false;
      if (!hasRoom(ofOwner, { isRefusal, most: MOST_OF_OWNER })) return false;
      ofOwners.set(owner, ofOwner);
      const ofCredential = ofCredentials.get(credential) ?? nothing();
      if (!hasRoom(ofCredential, { isRefusal, most: MOST_OF_CREDENTIAL })) return false;
      ofCredentials.set(credential, ofCredential);
      if (isReserved) ofReserve.set(owner, fromReserve + 1);
      for (const taken of [ofProcess, ofOwner, ofCredential]) count(taken, isRefusal);
      return true;
    },
  };
}

/** Successes leave a quarter to refusals. */
function hasRoom(taken: Taken, { isRefusal, most }: { isRefusal: boolean; most: number }): boolean {
  return taken.all < most && (isRefusal || taken.successes < most * 0.75);
}

function count(taken: Taken, isRefusal: boolean): void {
  taken.all += 1;
  if (!isRefusal) taken.successes += 1;
}

const nothing = (): Taken => ({ all: 0, successes: 0 });

const floor = (ms: number, unit: number) => Math.floor(ms / unit);

/** `day` counts from 1970, in UTC. */
export type Quota = { day: number; successes: number; refusals: number };

export function dayOf(at: Date): number {
  return floor(at.getTime(), DAY_S * SECOND_MS);
}

/**
 * The quota of a product at an instant, before further requests. A quarter of a day's is there at
 * its beginning, the rest comes evenly: the log of a busy product never falls silent for hours.
 */
export function decideQuota(logged: Quota, now: Date): { logged: Quota; room: Omit<Quota, 'day'> } {
  const today = dayOf(now);
  const current = logged.day === today ? logged : { day: today, successes: 0, refusals: 0 };
  const part = 0.25 + (0.75 * ((now.getTime() / SECOND_MS) % DAY_S)) / DAY_S;
  const roomOf = (kind: keyof typeof MOST_OF_DAY) =>
    Math.max(0, Math.floor(MOST_OF_DAY[kind] * part) - current[kind]);
  return {
    logged: current,
    room: { successes: roomOf('successes'), refusals: roomOf('refusals') },
  };
}

export function isRefusal(status: number): boolean {
  return status >= 400;
}
