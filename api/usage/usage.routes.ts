import type { KeyHolder } from '../../domain/catalog/catalog.store.ts';
import type { Bearer } from '../../domain/identity/oauth/token.store.ts';
import type { UsageCredential } from '../../domain/usage/decide-usage.ts';
import { json } from '../answer.ts';
import { Failure } from '../errors.ts';
import { defineRoute } from '../route.ts';
import { presentUsage, usageAnswer, usageReport } from './usage.schema.ts';

export const reportUsage = defineRoute({
  method: 'POST',
  path: '/api/v1/usage',
  summary: 'The person used the product.',
  credential: 'key_or_token',
  limit: 'usage_reports',
  isCrossOrigin: true,
  input: { body: { kind: 'json', shape: usageReport } },
  statuses: [200],
  errors: [
    'invalid_request',
    'unauthorized',
    'forbidden',
    'not_found',
    'payload_too_large',
    'unsupported_media_type',
    'rate_limited',
    'unavailable',
    'internal_error',
  ],
  documentation: {
    tag: 'Usage',
    description:
      "With a person's token, `heartbeat` and `activity` make the day a Qualified Active Day, unless the person is a member of the product's own team; `session` alone never does. With an API key usage is kept for analytics only, of people who are signed in to the product or entitled to it. A test key writes nothing. Repeat reports as often as you like: a day counts once per person and product.",
    output: usageAnswer,
  },
  async handler({ services, body, keyHolder, bearer }) {
    const who = bearer ? reporterOf(bearer, body.user_id) : subjectOf(keyHolder, body.user_id);
    const decision = await services.usage.report({ ...who, kind: body.kind });
    return json(presentUsage(decision, { isTest: who.credential === 'test_key' }));
  },
});

type Who = { productId: string; personId: string; credential: UsageCredential };

/** A token speaks of the person it acts for, and of nobody else. */
function reporterOf({ productId, personId }: Bearer, userId: string | undefined): Who {
  if (userId !== undefined) throw badUser("must be absent with a person's token");
  if (productId === null) {
    const message = "The token's client belongs to no product whose use could be reported.";
    throw new Failure('forbidden', { message });
  }
  return { productId, personId, credential: 'token' };
}

function subjectOf({ productId, mode }: KeyHolder, userId: string | undefined): Who {
  if (userId === undefined) throw badUser('is needed with an API key');
  return { productId, personId: userId, credential: `${mode}_key` };
}

function badUser(problem: string): Failure {
  return new Failure('invalid_request', { message: `user_id: ${problem}`, param: 'user_id' });
}
