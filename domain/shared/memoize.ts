const REMEMBERED = 1_000;

/** Computes each key once; of too many keys the oldest is dropped. */
export function memoize<Value>(work: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const value = work(key);
    if (known.size >= REMEMBERED) known.delete(known.keys().next().value!);
    known.set(key, value);
    return value;
  };
}
