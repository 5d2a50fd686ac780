import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import { goToCheckout, purchaseIdOf } from '../support/purchases/buyer.ts';
import { startPlatformWithReceiver, waitForOrder } from '../support/webhooks/order.ts';
import { CARDS } from '../support/purchases/simulator.ts';

const { platform, receiver, close } = await startPlatformWithReceiver();
test.after.always(close);

const path = '/buy/paper-trail';

// Longer than a lookup takes to notice, shorter than anybody waits.
const AWAY_MS = 2_000;

/** At some moment after the payment, whichever it is. */
const FAULTS = {
  API: async () => {
    await platform.api.kill('SIGKILL');
    await pause(AWAY_MS);
    await platform.api.start();
  },
  PostgreSQL: async () => {
    platform.databaseProxy.cut();
    await pause(AWAY_MS);
    platform.databaseProxy.restore();
  },
} as const;

const MOMENTS = { API: ['bob', 'nil'], PostgreSQL: ['mia', 'olga'] } as const;

for (const name of ['API', 'PostgreSQL'] as const) {
  test.serial(
    `${name} taken away at some moment of clearing: the same end, each event once`,
    async (t) => {
      for (const [index, handle] of MOMENTS[name].entries()) {
        const { person, pay } = await goToCheckout(platform.demo, { handle, path });
        const purchaseId = purchaseIdOf(await pay(CARDS.succeeds));
        await pause(index * 60);
        await FAULTS[name]();
        const sought = { purchaseId, personId: person.id };
        const { events, grants } = await waitForOrder({ platform, receiver }, sought);
        t.deepEqual(events, ['entitlement.created', 'purchase.completed'], handle);
        t.deepEqual(grants, [{ source: purchaseId }], handle);
      }
    },
  );
}
