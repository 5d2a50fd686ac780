import type pg from 'pg';
import { consume, secondsLeft, Throttle } from '../../limits/throttle.repository.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';

const DAY_MINUTES = 24 * 60;

/** A product shows nine pictures at most, so its maker may try each several times. */
const OF_PRODUCT = { name: 'picture-of-product', most: 60, minutes: DAY_MINUTES };
const OF_PERSON = { name: 'picture-of-person', most: 120, minutes: DAY_MINUTES };

type Over = Refusal<'too_many'> & {
  limit: 'product' | 'person';
  most: number;
  retryAfterS: number;
};

/**
 * Counts an uploaded picture before it is unpacked. An upload that is refused later counts too, and
 * one of a person over the own limit uses up nothing of the product's.
 */
export async function countUpload(
  pool: pg.Pool,
  { productId, personId }: { productId: string; personId: string },
): Promise<{ counted: true } | Over> {
  for (const [limit, options, key] of [
    ['person', OF_PERSON, personId],
    ['product', OF_PRODUCT, productId],
  ] as const) {
    const { most } = options;
    const counted = await consume(new Throttle(pool, options), key);
    if (counted.consumedPoints > most) {
      return { ...refuse('too_many'), limit, most, retryAfterS: secondsLeft(counted) };
    }
  }
  return { counted: true };
}
