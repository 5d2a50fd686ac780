// The bank, or the processor's dashboard, speaks of money that we still believe to be on its way.
import test from 'ava';
import {
  tryEventAgain,
  type EventKey,
} from '../../../../domain/billing/processor-inbox/dead-letter.repository.ts';
import { requireAccessInvariants } from '../../../support/access/access-invariants.ts';
import type { AccessStep } from '../../../support/access/access-steps.ts';
import { beginAccessStory } from '../../../support/access/access-story.ts';
import { openWorld } from '../../../support/money/world.ts';

const world = await openWorld();
test.after.always(() => world.close());

const DAYS = 24;
const CATCH_UP: AccessStep = { does: 'catch_up' };
const begins = { isReplacing: false, isSessionLost: false };
const JOIN: AccessStep = { does: 'join', ...begins };
const SUBSCRIBE: AccessStep = { does: 'buy', isRecurring: true, ...begins };
const BUY: AccessStep = { does: 'buy', isRecurring: false, ...begins };
const PAY_LATE: AccessStep = { does: 'pay', which: 0, outcome: 'clears_late' };
const wait = (days: number): AccessStep => ({ does: 'wait', hours: days * DAYS });
const HEAR_LAST: AccessStep = { does: 'hear', which: -1, copies: 1 };

/** Paid, and known to be on its way; by now it has come, and nobody has told us. */
const comeUnheard = (begin: AccessStep): AccessStep[] => [begin, PAY_LATE, CATCH_UP, wait(4)];
/** So has a renewal. */
const renewedUnheard = (begin: AccessStep): AccessStep[] => [
  ...comeUnheard(begin),
  CATCH_UP,
  wait(28),
  CATCH_UP,
  wait(4),
];

const WAYS: Record<string, (which: number) => AccessStep> = {
  'a lost dispute': (which) => ({ does: 'dispute', which, status: 'lost' }),
  'an open dispute': (which) => ({ does: 'dispute', which, status: 'needs_response' }),
  'a refund': (which) => ({ does: 'refund_there', which, amountMinor: 999 }),
};

const SOLD: Record<string, { steps: AccessStep[]; which: number }> = {
  'a purchase': { steps: comeUnheard(BUY), which: 0 },
  'a subscription': { steps: comeUnheard(SUBSCRIBE), which: 0 },
  'a renewal of a subscription': { steps: renewedUnheard(SUBSCRIBE), which: 1 },
  Member: { steps: comeUnheard(JOIN), which: 0 },
  'a renewal of Member': { steps: renewedUnheard(JOIN), which: 1 },
};

/** Whoever heard first of something acts first. */
const HEARINGS: Record<string, AccessStep[]> = {
  'received after its payment': [CATCH_UP],
  'received before its payment': [HEAR_LAST, CATCH_UP],
};

const UNKNOWN_RETURNS = `
  select id from simulator.dispute where id not in (select processor_id from dispute)
  union all select id from simulator.refund
    where id not in (select processor_id from refund where processor_id is not null)`;

for (const [sold, { steps, which }] of Object.entries(SOLD)) {
  for (const [back, goBack] of Object.entries(WAYS)) {
    for (const [hearing, received] of Object.entries(HEARINGS)) {
      test.serial(
        `${back} of ${sold}, ${hearing}, is followed once the money is known to have come`,
        async (t) => {
          const story = await beginAccessStory(world);
          for (const step of [...steps, goBack(which), ...received]) await story.take(step);
          await story.settle(0);
          const { query } = world.shop.database;
          const { pool } = world.database;
          await requireAccessInvariants({ query, pool }, story);
          t.deepEqual(await query(UNKNOWN_RETURNS), []);
        },
      );
    }
  }
}

test.serial(
  'what speaks of the return of money that has not come stays dead-lettered when it is tried again',
  async (t) => {
    const { query } = world.shop.database;
    const story = await beginAccessStory(world);
    const { steps, which } = SOLD['Member']!;
    const lost = WAYS['a lost dispute']!(which);
    for (const step of [...steps, lost, HEAR_LAST]) await story.take(step);
    const sql = `select processor, id, dead_letter_reason as reason, handled_at is not null as handled
    from processor_event where type like 'charge.dispute.%' order by received_at desc, id desc limit 1`;
    const read = async () =>
      (await query<EventKey & { reason: string | null; handled: boolean }>(sql))[0]!;
    const event = await read();
    t.like(event, { reason: 'payment_not_received', handled: false });
    t.is(await world.database.transaction((em) => tryEventAgain(em, event)), null);
    t.like(await read(), { reason: 'payment_not_received', handled: false });
    await story.take(CATCH_UP);
    t.like(await read(), { reason: null, handled: true });
  },
);

const WOKEN: Record<string, { on: string; whose: string }> = {
  'a renewal of a subscription': { on: 'a refund', whose: 'subscription' },
  'a renewal of Member': { on: 'a refund', whose: 'membership' },
};

for (const [sold, { on, whose }] of Object.entries(WOKEN)) {
  test.serial(`${on} of ${sold}, received first, wakes the actor of the ${whose}`, async (t) => {
    const { query } = world.shop.database;
    const story = await beginAccessStory(world);
    const { steps, which } = SOLD[sold]!;
    for (const step of [...steps, WAYS[on]!(which)]) await story.take(step);
    await query('update outbox set sent_at = gatehouse_now() where sent_at is null');
    await story.take(HEAR_LAST);
    const woken = await query<{ whose: string }>(
      `select split_part(workflow_id, ':', 1) as whose from outbox where sent_at is null`,
    );
    t.true(woken.some((message) => message.whose === whose));
    await story.settle(0);
  });
}

// We died between the processor's answer and our commit: nobody here knows the session that the buyer pays in.
type Row = {
  status: string;
  sequence: number;
  isAskedSoon: boolean;
  unfollowed: number;
  alerts: number;
};

async function lookAt(personId: string): Promise<Row | undefined> {
  const [row] = await world.shop.database.query<Row>(
    `select p.status, p.sequence::int as sequence,
       p.ask_again_at <= gatehouse_now() + interval '1 hour' as "isAskedSoon",
       (select count(*)::int from processor_event e
         where e.purchase_id = p.id and e.handled_at is null) as unfollowed,
       (select count(*)::int from alert a
         where a.subject = p.id and a.resolved_at is null) as alerts
     from purchase p where p.person_id = $1`,
    [personId],
  );
  return row;
}

test.serial(
  'a card declined in a session that was lost is asked about each hour, and is over when the session is',
  async (t) => {
    const story = await beginAccessStory(world);
    const look = () => lookAt(story.personId);
    await story.take({ does: 'buy', isRecurring: false, isReplacing: false, isSessionLost: true });
    await story.take({ does: 'pay', which: 0, outcome: 'declined' });
    const waiting = { status: 'pending', isAskedSoon: true, unfollowed: 1, alerts: 0 };
    for (let asked = 1; asked <= 3; asked += 1) {
      await story.take({ does: 'catch_up' });
      t.like(await look(), { ...waiting, sequence: asked });
      await story.take({ does: 'wait', hours: 1 });
    }
    await story.take({ does: 'wait', hours: 21 });
    await story.take({ does: 'catch_up' });
    t.like(await look(), { status: 'canceled', isAskedSoon: false, unfollowed: 0, alerts: 0 });
  },
);
