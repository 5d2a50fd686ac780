// We died between the processor's answer and our commit: nobody here knows the session that the buyer pays in.
import test from 'ava';
import { beginAccessStory } from '../../../support/access/access-story.ts';
import { openWorld } from '../../../support/money/world.ts';

const world = await openWorld();
test.after.always(() => world.close());
const { query } = world.shop.database;

type Row = {
  status: string;
  sequence: number;
  isAskedSoon: boolean;
  unfollowed: number;
  alerts: number;
};

async function lookAt(personId: string): Promise<Row | undefined> {
  const [row] = await query<Row>(
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

test('a card declined in a session that was lost is asked about each hour, and is over when the session is', async (t) => {
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
});
