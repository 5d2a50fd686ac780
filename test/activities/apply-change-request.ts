import test from 'ava';
import pino from 'pino';
import { createMembershipActivities } from '../../activities/billing/membership.activities.ts';
import type { Services } from '../../activities/services.ts';
import { ProcessorFault } from '../../clients/processor/processor.ts';
import { requestChange } from '../../domain/billing/recurring/change-request.repository.ts';
import { openWorld, type World } from '../support/money/world.ts';
import { pay } from '../support/purchases/simulator.ts';
import { openAtProcessor } from '../support/subscriptions/becoming-member.ts';

let world: World;
test.before(async () => {
  world = await openWorld();
});
test.after.always(() => world.close());

test('a cancellation that the processor refuses alerts an operator', async (t) => {
  const { shop, database } = world;
  const databases = { database, testDatabase: shop.database };
  const { membershipId, session } = await openAtProcessor(databases, shop);
  await pay(session.url);
  const processor = {
    ...shop.processor,
    async cancelAtPeriodEnd() {
      const cause = { statusCode: 400, type: 'StripeInvalidRequestError' };
      throw new ProcessorFault('cancel at the end of the period', cause as never);
    },
  };
  const logger = pino({ level: 'silent' });
  const services = { database, processor, logger } as unknown as Services;
  const { settleMembership } = createMembershipActivities(services);
  await settleMembership({ membershipId });
  await database.transaction((em) => requestChange(em, { membershipId, change: 'cancel' }));
  t.like(await settleMembership({ membershipId }), { status: 'active' });
  const alerts = await shop.database.query(
    `select subject, detail->>'change' as change, resolved_at from alert
     where kind = 'change_refused'`,
  );
  t.deepEqual(alerts, [{ subject: membershipId, change: 'cancel', resolved_at: null }]);
});
