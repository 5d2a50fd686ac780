import { createRequire } from 'node:module';
import type { Stripe } from 'stripe';

const require = createRequire(import.meta.url);

/** Stripe's package has 218 modules: loaded at its first use, so that every process starts sooner. */
export function loadStripe(): typeof Stripe {
  return require('stripe') as typeof Stripe;
}
