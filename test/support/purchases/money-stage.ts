import type { Processor } from '../../../clients/processor/processor.ts';
import { startShop, type Shop } from './simulator.ts';
import { endRenewals } from '../subscriptions/subscribing.ts';
import { openStage, type Stage } from '../engines/worker.ts';

export type MoneyStage = {
  shop: Shop;
  stage: Stage;
  /** What the workers are told of checkouts: the simulator's words until a test puts others here. */
  told: Pick<Processor, 'readCheckout'>;
  restore(): void;
  /** See `subscribing.ts`: after a test that leaves a subscription behind. */
  endRenewals(): Promise<void>;
  close(): Promise<void>;
};

/** The workers of money on one database, hence with one clock, for us and for the simulator. */
export async function openMoneyStage(): Promise<MoneyStage> {
  const shop = await startShop();
  const { readCheckout } = shop.processor;
  const told = { readCheckout };
  const processor: Processor = {
    ...shop.processor,
    readCheckout: (...asked) => told.readCheckout(...asked),
  };
  const testDatabase = shop.database;
  const stage = await openStage({ taskQueues: ['money'], processor, testDatabase });
  stage.startPublisher();
  await stage.startWorkers();
  return {
    shop,
    stage,
    told,
    restore: () => Object.assign(told, { readCheckout }),
    endRenewals: () => endRenewals(testDatabase),
    async close() {
      await stage.close();
      await shop.close();
    },
  };
}
