import type { KeyHolder } from '../../domain/catalog/catalog.repository.ts';
import { decideByToken } from '../../domain/usage/decide-usage.ts';
import type { Reporter } from '../../domain/usage/report.repository.ts';
import { json } from '../response.ts';
import { Failure } from '../errors.ts';
import { defineRoute } from '../route.ts';
import { presentUsage, usageAnswer, usageReport } from './usage.schema.ts';

export const reportUsage = defineRoute({
  method: 'POST',
  path: '/api/v1/usage',
  summary: 'Report usage',
  credential: 'key_or_token',
  limit: 'usage_reports',
  reportOf: ({ kind, user_id: userId }) => (userId === undefined ? kind : null),
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
  async handler({ services: { usage }, body, keyHolder, reporter, isRecorded }) {
    if (!reporter) {
      const decision = await usage.recordByKey(namingOf(keyHolder, body.user_id), body.kind);
      return json(presentUsage(decision, { isTest: keyHolder.mode === 'test' }));
    }
    const holder = holderOf(reporter, body.user_id);
    const decision = isRecorded
      ? decideByToken(body.kind, holder.isOwnTeam)
      : await usage.recordByToken(holder, body.kind);
    return json(presentUsage(decision, { isTest: false }));
  },
});

/** A token speaks of the person it acts for, and of nobody else. */
function holderOf({ productId, ...reporter }: Reporter, userId: string | undefined) {
  if (userId !== undefined) throw badUser("must be absent with a person's token");
  if (productId !== null) return { ...reporter, productId };
  const message = "The token's client belongs to no product whose use could be reported.";
  throw new Failure('forbidden', { message });
}

function namingOf({ productId, mode }: KeyHolder, userId: string | undefined) {
  if (userId === undefined) throw badUser('is needed with an API key');
  return { productId, personId: userId, mode };
}

function badUser(problem: string): Failure {
  return new Failure('invalid_request', { message: `user_id: ${problem}`, param: 'user_id' });
}
