import { entitlementActor, purchaseActor } from '../../../domain/platform/outbox/actors.ts';
import { addOffer, addProduct } from '../scene.ts';
import type { AccessStep } from './access-steps.ts';
import { createActors } from './actors.ts';
import { createBank } from './bank.ts';
import { createSubscriber } from './members.ts';
import { createPeople } from './people.ts';
import { forgetEarlier } from './story.ts';
import type { World } from './world.ts';

/** Later words, and timers, say again what one of these said. */
const DROPPABLE = /^(invoice|customer\.subscription)\./;

const MOST_ROUNDS = 12;
const PERIOD_HOURS = 31 * 24;

/** One person, one product of two offers that Member includes, and all that may happen between them. */
export async function beginAccessStory(world: World) {
  await forgetEarlier(world);
  const scene = await addProduct(world.shop.database, { isIncluded: true });
  const { personId, productId, price } = scene;
  const monthly = await addOffer(world.shop.database, { productId, kind: 'monthly' });
  const people = createPeople(world, scene);
  const { sessions, purchases } = people;
  const subscriber = await createSubscriber(world, { personId, productId, sessions });
  const bank = await createBank(world);
  const actors = createActors(world);
  const dropped = new Set<string>();
  const heard = new Set<string>();

  const one = <Item>(list: Item[], which: number) => list[which % list.length];
  const words = async () => (await bank.words()).filter((body) => !dropped.has(body));
  const chargeAt = async (which: number) => one(await bank.charges(sessions), which) ?? null;

  async function everybody(): Promise<string[]> {
    const ofPurchases = purchases.map((id) => purchaseActor(id).workflowId);
    const { workflowId } = entitlementActor({ personId, productId });
    return [...(await subscriber.actors()), ...ofPurchases, workflowId];
  }

  async function hear(which: number, copies: number): Promise<void> {
    const body = one(await words(), which);
    if (!body) return;
    heard.add(body);
    await Promise.all(Array.from({ length: copies }, () => bank.hear(body)));
  }

  async function listen(body: string): Promise<void> {
    if (!heard.has(body)) await bank.hear(body);
    heard.add(body);
  }

  async function drop(which: number): Promise<void> {
    const body = one(await words(), which);
    if (body && DROPPABLE.test(JSON.parse(body).type)) dropped.add(body);
  }

  const follow = async ({ which, mishap }: Extract<AccessStep, { does: 'follow' }>) =>
    actors.follow(one(await everybody(), which)!, mishap);

  async function crowd(which: number, beside: number): Promise<void> {
    const all = await everybody();
    await actors.crowd([one(all, which)!, one(all, which)!, one(all, beside)!]);
  }

  async function wish({ which, wish: wanted }: Extract<AccessStep, { does: 'wish' }>) {
    const workflowId = one(await subscriber.actors(), which);
    if (workflowId) await subscriber.wishOf(workflowId, wanted);
  }

  async function refund(which: number, amountMinor: number): Promise<void> {
    const purchaseId = one(purchases, which);
    if (purchaseId) await people.refund(purchaseId, amountMinor);
  }

  /** Whatever was said until now arrives, and whoever has something to do does it. */
  async function catchUp(): Promise<void> {
    await actors.release();
    for (const body of await words()) await listen(body);
    await actors.reconcile();
    await actors.followAll();
  }

  function take(step: AccessStep): Promise<unknown> {
    switch (step.does) {
      case 'buy':
        return people.buy(step.isRecurring ? monthly : price, step);
      case 'join':
        return subscriber.join(step);
      case 'pay':
        return atSession(step.which, (id) => bank.pay(id, step.outcome));
      case 'expire':
        return atSession(step.which, bank.expire);
      case 'wait':
        return bank.wait(step.hours);
      case 'hear':
        return hear(step.which, step.copies);
      case 'drop':
        return drop(step.which);
      case 'follow':
        return follow(step);
      case 'release':
        return actors.release();
      case 'crowd':
        return crowd(step.which, step.beside);
      case 'catch_up':
        return catchUp();
      case 'wish':
        return wish(step);
      case 'open':
        return subscriber.open();
      case 'refund':
        return refund(step.which, step.amountMinor);
      case 'refund_there':
        return chargeAt(step.which).then((id) => bank.refund(id, step.amountMinor));
      case 'dispute':
        return chargeAt(step.which).then((id) => bank.dispute(id, step.status));
      case 'grant':
        return people.grant(step.days);
      case 'withdraw':
        return people.withdraw();
    }
  }

  async function atSession(which: number, act: (id: string) => Promise<unknown>) {
    const sessionId = one(sessions, which);
    if (sessionId) await act(sessionId);
  }

  /** A period goes by, and days until no money is on its way; what is renewed goes on being renewed. */
  async function end(): Promise<void> {
    await catchUp();
    await bank.wait(PERIOD_HOURS);
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      await catchUp();
      // The last try of a renewal that was due meanwhile.
      if (round > 1 && !(await bank.isMoving(sessions))) return;
      await bank.wait(4 * 24);
    }
    throw new Error('money is still on its way');
  }

  return { personId, productId, sessions, take, end };
}
