import { entitlementWorkflow, purchaseWorkflow } from '../../../domain/outbox/workflow-targets.ts';
import { addOffer, addProduct } from '../catalog/scene.ts';
import type { AccessStep } from './access-steps.ts';
import { createActors } from '../money/actors.ts';
import { createBank } from '../money/bank.ts';
import { createHearing } from '../money/hearing.ts';
import { createSubscriber } from '../money/members.ts';
import { createOwners, own } from '../money/owners.ts';
import { createPeople } from '../money/people.ts';
import { forgetEarlier } from '../money/story.ts';
import type { World } from '../money/world.ts';

const MOST_ROUNDS = 12;
const PERIOD_HOURS = 31 * 24;

type Cast = Awaited<ReturnType<typeof gather>>;

/** Everybody around one person and one product of two offers that Member includes. */
async function gather(world: World) {
  const scene = await addProduct(world.shop.database, { isIncluded: true });
  const { personId, productId, price } = scene;
  const monthly = await addOffer(world.shop.database, { productId, kind: 'monthly' });
  const people = createPeople(world, scene);
  const { sessions } = people;
  const bank = await createBank(world);
  return {
    personId,
    productId,
    price,
    monthly,
    people,
    owners: createOwners(world, scene),
    sessions,
    bank,
    subscriber: await createSubscriber(world, { personId, productId, sessions }),
    actors: createActors(world),
    hearing: createHearing(bank),
  };
}

/** All that may happen between them. */
export async function beginAccessStory(world: World) {
  await forgetEarlier(world);
  const cast = await gather(world);
  const { personId, productId, people, sessions, bank } = cast;
  const doers = createDoers(cast);

  const isUnderWay = async () =>
    (await bank.isMoving(sessions)) || (await bank.isUnreadable(people.lostSessions));

  /** So many times days go by, and more until nothing is under way; what is renewed goes on. */
  async function settle(times: number): Promise<void> {
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      await catchUp(cast);
      if (round >= times && !(await isUnderWay())) return;
      await bank.wait(4 * 24);
    }
    throw new Error('something is still under way');
  }

  const passPeriod = () => bank.wait(PERIOD_HOURS);

  async function take(step: AccessStep): Promise<void> {
    await (doers[step.does] as (taken: AccessStep) => unknown)(step);
  }

  const { gone } = cast.owners;
  return { personId, productId, sessions, gone, take, settle, passPeriod };
}

/** Whatever was said until now arrives, and whoever has something to do does it. */
async function catchUp({ actors, hearing, owners }: Cast): Promise<void> {
  await actors.release();
  await hearing.hearAll();
  await owners.closeRemoved();
  await actors.reconcile();
  await actors.followAll();
}

type Doers = {
  [Does in AccessStep['does']]: (step: Extract<AccessStep, { does: Does }>) => Promise<unknown>;
};

/** Null where there is none. */
const one = <Item>(list: Item[], which: number) => list[which % list.length] ?? null;

function createDoers(cast: Cast): Doers {
  const { price, monthly, people, subscriber, bank, actors, hearing, sessions } = cast;
  const chargeAt = async (which: number) => one(await bank.charges(sessions), which);
  const everybody = async () => [...(await subscriber.actors()), ...buyers(cast)];

  return {
    buy: (step) => people.buy(step.isRecurring ? monthly : price, step),
    join: (step) => subscriber.join(step),
    pay: ({ which, outcome }) => atSession(which, (id) => bank.pay(id, outcome)),
    expire: ({ which }) => atSession(which, bank.expire),
    wait: ({ hours }) => bank.wait(hours),
    hear: ({ which, copies }) => hearing.hear(which, copies),
    drop: ({ which }) => hearing.drop(which),
    follow: async ({ which, mishap }) => actors.follow(one(await everybody(), which)!, mishap),
    release: () => actors.release(),
    async crowd({ which, beside }) {
      const all = await everybody();
      const chosen = one(all, which)!;
      await actors.crowd([chosen, chosen, one(all, beside)!]);
    },
    catch_up: () => catchUp(cast),
    async request_change({ which, change }) {
      const workflowId = one(await subscriber.actors(), which);
      if (workflowId) await subscriber.requestChange(workflowId, change);
    },
    open: () => subscriber.open(),
    async refund({ which, amountMinor }) {
      const purchaseId = one(people.purchases, which);
      if (purchaseId) await people.refund(purchaseId, amountMinor);
    },
    refund_there: async ({ which, amountMinor }) => bank.refund(await chargeAt(which), amountMinor),
    dispute: async ({ which, status }) => bank.dispute(await chargeAt(which), status),
    grant: ({ days }) => people.grant(days),
    withdraw: () => people.withdraw(),
    own: ({ what }) => own(cast.owners, what),
  };

  async function atSession(which: number, act: (id: string) => Promise<unknown>) {
    const sessionId = one(sessions, which);
    if (sessionId) await act(sessionId);
  }
}

function buyers({ people, productId, personId }: Cast): string[] {
  const ofPurchases = people.purchases.map((id) => purchaseWorkflow(id).workflowId);
  return [...ofPurchases, entitlementWorkflow({ personId, productId }).workflowId];
}
