import { purchaseWorkflow } from '../../../domain/outbox/workflow-targets.ts';
import { addProduct } from '../catalog/scene.ts';
import { createActors } from './actors.ts';
import { createBank } from './bank.ts';
import { createOwners, own } from './owners.ts';
import { createPeople } from './people.ts';
import type { Step } from './steps.ts';
import type { World } from './world.ts';

/** One person, one product, and all that may happen between them. */
export async function beginStory(world: World) {
  await forgetEarlier(world);
  const scene = await addProduct(world.shop.database);
  const people = createPeople(world, scene);
  const owners = createOwners(world, scene);
  const bank = await createBank(world);
  const actors = createActors(world);
  const take = createSteps({ people, owners, bank, actors, scene });

  /** Time goes by until nothing is under way: in the end every word arrives, and is followed. */
  async function end(): Promise<void> {
    await actors.release();
    let received = 0;
    for (let round = 0; round < 3; round += 1) {
      await bank.wait(5 * 24);
      const words = await bank.words();
      for (const body of words.slice(received)) await bank.hear(body);
      received = words.length;
      await owners.closeRemoved();
      await actors.reconcile();
      await actors.followAll();
    }
  }

  return { ...scene, gone: owners.gone, take, end };
}

type Cast = {
  scene: Awaited<ReturnType<typeof addProduct>>;
  people: ReturnType<typeof createPeople>;
  owners: ReturnType<typeof createOwners>;
  bank: Awaited<ReturnType<typeof createBank>>;
  actors: ReturnType<typeof createActors>;
};

/** Who does what at each step. */
function createSteps({ scene, people, owners, bank, actors }: Cast) {
  const { sessions, purchases } = people;

  async function hear({ which, copies }: Extract<Step, { does: 'hear' }>): Promise<void> {
    const words = await bank.words();
    const body = words[which % words.length];
    if (body) await Promise.all(Array.from({ length: copies }, () => bank.hear(body)));
  }

  const sessionOf = ({ which }: { which: number }) => sessions[which % sessions.length]!;
  const purchaseOf = ({ which }: { which: number }) => purchases[which % purchases.length]!;

  const actorOf = ({ which }: { which: number }) =>
    purchaseWorkflow(purchaseOf({ which })).workflowId;

  async function refundThere(step: Extract<Step, { does: 'refund_there' }>): Promise<void> {
    await bank.refund(await bank.chargeOf(sessionOf(step)), step.amountMinor);
  }

  async function dispute(step: Extract<Step, { does: 'dispute' }>): Promise<void> {
    await bank.dispute(await bank.chargeOf(sessionOf(step)), step.status);
  }

  return function take(step: Step): Promise<unknown> {
    switch (step.does) {
      case 'buy':
        return people.buy(scene.price, step);
      case 'pay':
        return bank.pay(sessionOf(step), step.outcome);
      case 'expire':
        return bank.expire(sessionOf(step));
      case 'wait':
        return bank.wait(step.hours);
      case 'hear':
        return hear(step);
      case 'follow':
        return actors.follow(actorOf(step), step.mishap);
      case 'release':
        return actors.release();
      case 'crowd':
        return actors.crowd([actorOf(step), actorOf(step)]);
      case 'refund':
        return people.refund(purchaseOf(step), step.amountMinor);
      case 'refund_there':
        return refundThere(step);
      case 'dispute':
        return dispute(step);
      case 'grant':
        return people.grant(null);
      case 'withdraw':
        return people.withdraw();
      case 'own':
        return own(owners, step.what);
    }
  };
}

/** Nobody asks, renews or tells any more about what happened in earlier ones. */
export async function forgetEarlier({ shop }: World): Promise<void> {
  const { query } = shop.database;
  for (const table of ['purchase', 'subscription', 'membership']) {
    await query(`update ${table} set ask_again_at = null where ask_again_at is not null`);
  }
  await query(
    `update outbox set sent_at = gatehouse_now() where sent_at is null and dead_lettered_at is null`,
  );
  await query('update processor_event set handled_at = gatehouse_now() where handled_at is null');
  await query(
    `update simulator.subscription set status = 'canceled', ended_at = simulator.now()
     where status <> 'canceled'`,
  );
  await query(
    'update simulator.invoice set next_attempt_at = null where next_attempt_at is not null',
  );
}
