import { isOfOneCaller } from './batcher.ts';

const WAIT_MS = 50;
const MAX_ITEMS = 10_000;
const BATCH_SIZE = 1_000;

type Options<Item> = {
  keyOf(item: Item): string;
  merge(earlier: Item, later: Item): Item;
  /** One statement for items of different keys; when it fails, each item is tried alone. */
  write(items: readonly Item[]): Promise<unknown>;
  onLoss(lost: number): void;
  largest?: number;
  /** How long items wait for others. */
  waitMs?: number;
};

/**
 * Buffers writes that may wait a moment and may be lost in a crash: items with the same key become
 * one, and all items of a moment (50 ms, unless said otherwise) are written together, at a fraction
 * of the cost. No caller waits for the write or fails by it.
 */
export function createWriteBuffer<Item>(options: Options<Item>) {
  const { keyOf, merge, write, onLoss, largest = MAX_ITEMS, waitMs = WAIT_MS } = options;
  let arrived: Item[] = [];
  let gathered = new Map<string, Item>();
  let lost = 0;
  let timer: NodeJS.Timeout | undefined;
  let underWay = Promise.resolve();
  const gather = () => {
    for (const item of arrived) {
      const key = keyOf(item);
      const earlier = gathered.get(key);
      if (earlier !== undefined) gathered.set(key, merge(earlier, item));
      else if (gathered.size < largest) gathered.set(key, item);
      else lost += 1;
    }
    arrived = [];
  };
  const flush = async () => {
    gather();
    const items = [...gathered.values()];
    gathered = new Map();
    for (let done = 0; done < items.length; done += BATCH_SIZE) {
      lost += await writeBatch(items.slice(done, done + BATCH_SIZE), write);
    }
    if (lost > 0) onLoss(lost);
    lost = 0;
  };
  const schedule = () => {
    if (timer || (arrived.length === 0 && gathered.size === 0)) return;
    timer = setTimeout(() => {
      underWay = flush().finally(() => {
        timer = undefined;
        schedule();
      });
    }, waitMs).unref();
  };
  return {
    add(item: Item) {
      arrived.push(item);
      if (arrived.length === BATCH_SIZE) gather();
      schedule();
    },
    /** Writes the rest. */
    async close() {
      clearTimeout(timer);
      await underWay;
      clearTimeout(timer);
      await flush();
    },
  };
}

/**
 * Returns the number of items that could not be written. An item with a bad value costs no other;
 * without the database all are lost at once, or each would wait for its own timeout.
 */
async function writeBatch<Item>(items: readonly Item[], write: Options<Item>['write']) {
  try {
    await write(items);
    return 0;
  } catch (error) {
    if (items.length === 1 || !isOfOneCaller(error)) return items.length;
  }
  let lost = 0;
  for (const item of items)
    lost += await write([item]).then(
      () => 0,
      () => 1,
    );
  return lost;
}
