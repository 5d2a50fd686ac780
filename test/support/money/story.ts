import { addProduct } from '../scene.ts';
import { createActors } from './actors.ts';
import { createBank } from './bank.ts';
import { createPeople } from './people.ts';
import type { Step } from './steps.ts';
import type { World } from './world.ts';

/** One person, one product, and all that may happen between them. */
export async function beginStory(world: World) {
  // Nobody asks again about what happened in earlier ones.
  await world.shop.database.query('update purchase set ask_again_at = null');
  const scene = await addProduct(world.shop.database);
  const people = createPeople(world, scene);
  const bank = await createBank(world);
  const actors = createActors(world);
  const { sessions, purchases } = people;

  async function hear({ which, copies }: Extract<Step, { does: 'hear' }>): Promise<void> {
    const words = await bank.words();
    const body = words[which % words.length];
    if (body) await Promise.all(Array.from({ length: copies }, () => bank.hear(body)));
  }

  const sessionOf = ({ which }: { which: number }) => sessions[which % sessions.length]!;
  const purchaseOf = ({ which }: { which: number }) => purchases[which % purchases.length]!;

  function take(step: Step): Promise<unknown> {
    switch (step.does) {
      case 'buy':
        return people.buy(step);
      case 'pay':
        return bank.pay(sessionOf(step), step.outcome);
      case 'expire':
        return bank.expire(sessionOf(step));
      case 'wait':
        return bank.wait(step.hours);
      case 'hear':
        return hear(step);
      case 'follow':
        return actors.follow(purchaseOf(step), step.mishap);
      case 'release':
        return actors.release();
      case 'crowd':
        return actors.crowd(purchaseOf(step));
      case 'refund':
        return people.refund(purchaseOf(step), step.amountMinor);
      case 'refund_there':
        return bank.refund(sessionOf(step), step.amountMinor);
      case 'dispute':
        return bank.dispute(sessionOf(step), step.status);
      case 'grant':
        return people.grant();
      case 'withdraw':
        return people.withdraw();
    }
  }

  /** Time goes by until nothing is under way: in the end every word arrives, and is followed. */
  async function end(): Promise<void> {
    await actors.release();
    let heard = 0;
    for (let round = 0; round < 3; round += 1) {
      await bank.wait(5 * 24);
      const words = await bank.words();
      for (const body of words.slice(heard)) await bank.hear(body);
      heard = words.length;
      await actors.reconcile();
      for (const purchaseId of purchases) await actors.followMessages(purchaseId);
    }
  }

  return { ...scene, take, end };
}
