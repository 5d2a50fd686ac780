import { createRequire } from 'node:module';
import type { Stripe } from 'stripe';

const require = createRequire(import.meta.url);

/** Stripe's package has 218 modules: loaded at its first use, so that every process starts sooner. */
export function loadStripe(): typeof Stripe {
  return require('stripe') as typeof Stripe;
}

/**
 * The package's own HTTP, which takes JSON objects alone: on any other JSON it would set a property
 * where nobody catches the error, and the process would end.
 */
export function objectsOnly(): Stripe.HttpClient {
  const client = loadStripe().createNodeHttpClient();
  return {
    getClientName: () => client.getClientName(),
    async makeRequest(...request) {
      const response = await client.makeRequest(...request);
      const read = response.toJSON.bind(response);
      response.toJSON = async () => expectAnyObject(await read());
      return response;
    },
  };
}

function expectAnyObject(json: unknown): object {
  if (typeof json === 'object' && json !== null) return json;
  throw new TypeError('the answer is not an object');
}
