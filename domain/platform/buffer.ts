const WAIT_MS = 50;
const LARGEST = 10_000;

type Options<Item> = {
  keyOf(item: Item): string;
  merge(earlier: Item, later: Item): Item;
  /** Called for all that have gathered, at once; where it fails, that item is lost. */
  write(item: Item): Promise<unknown>;
  onLoss(lost: number): void;
  largest?: number;
};

export type Buffer<Item> = {
  add(item: Item): void;
  /** Writes what is left. */
  close(): Promise<void>;
};

/**
 * For what may wait a moment and may be lost in a crash: items with the same key become one, and
 * all that gather within 50 ms are written together. Nobody waits for it and nobody fails by it.
 */
export function createBuffer<Item>(options: Options<Item>): Buffer<Item> {
  const { keyOf, merge, write, onLoss, largest = LARGEST } = options;
  let gathered = new Map<string, Item>();
  let lost = 0;
  let timer: NodeJS.Timeout | undefined;
  let underWay = Promise.resolve();
  const flush = async () => {
    const items = [...gathered.values()];
    gathered = new Map();
    const outcomes = await Promise.allSettled(items.map(write));
    const failed = outcomes.filter(({ status }) => status === 'rejected').length;
    if (lost + failed > 0) onLoss(lost + failed);
    lost = 0;
  };
  const schedule = () => {
    if (timer || gathered.size === 0) return;
    timer = setTimeout(() => {
      underWay = flush().finally(() => {
        timer = undefined;
        schedule();
      });
    }, WAIT_MS).unref();
  };
  return {
    add(item) {
      const key = keyOf(item);
      const earlier = gathered.get(key);
      if (earlier !== undefined) gathered.set(key, merge(earlier, item));
      else if (gathered.size < largest) gathered.set(key, item);
      else lost += 1;
      schedule();
    },
    async close() {
      clearTimeout(timer);
      await underWay;
      clearTimeout(timer);
      await flush();
    },
  };
}
