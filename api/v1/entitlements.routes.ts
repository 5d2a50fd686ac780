import { z } from 'zod';
import { NO_ACCESS, type EffectiveAccess } from '../../domain/entitlements/effective-access.ts';
import { requireKey } from '../http/authenticate.ts';
import { explainCredential, NOTHING_SENT } from '../http/credential.ts';
import { readQuery, toInvalidRequest } from '../http/validate.ts';
import { json } from '../http/response.ts';
import { defineRoute } from '../http/route.ts';
import { entitlement, presentEntitlement } from './entitlement.presenter.ts';
import { uuid } from '../http/fields.ts';

const NEEDS_UUID = 'must be given once, as a UUID';

const TEST_HEADER = 'X-Service-Test-Entitlement';

const FORCED = new Map<string, EffectiveAccess>([
  ['active', { isActive: true, type: 'complimentary', source: 'test', endsAt: null }],
  ['none', NO_ACCESS],
]);

const checkQuery = z.object({
  user_id: uuid(NEEDS_UUID)
    .toLowerCase()
    .meta({
      description: 'The person',
      examples: ['0199f3a8-6c1e-7000-8000-9e0d2b4c6f81'],
    }),
});

const checkEntitlement = defineRoute({
  method: 'GET',
  path: '/api/v1/entitlements',
  summary: 'Check access',
  credential: 'key',
  limit: 'api_reads',
  input: { query: checkQuery },
  documentation: {
    statuses: [200],
    errors: ['invalid_request', 'unauthorized', 'rate_limited', 'unavailable', 'internal_error'],
    operationId: 'checkEntitlement',
    tag: 'Access',
    description:
      'Says whether a person may use the product of the key. An unknown person gets the same response as a person without access. A test key reads real data and can force the response with a header.',
    output: entitlement,
    errorExamples: {
      invalid_request: {
        message: `user_id: ${NEEDS_UUID}`,
        param: 'user_id',
      },
      unauthorized: { message: explainCredential(NOTHING_SENT, 'key') },
    },
    requestHeaders: z.object({
      [TEST_HEADER]: z
        .string()
        .optional()
        .meta({
          description:
            '`active` or `none` forces the response for a test key. Other values, and the header of a live key, are ignored',
          examples: ['none'],
        }),
    }),
  },
  async handler({ ctx, services }) {
    const query = checkQuery.safeParse(readQuery(ctx.querystring));
    const { key, access } = await requireKey(
      { ctx, services },
      { limit: 'api_reads', accessOf: query.data?.user_id ?? null },
    );
    if (!query.success) throw toInvalidRequest(query.error);
    const { productId, mode } = key;
    const asked = { productId, personId: query.data.user_id };
    const isTest = mode === 'test';
    const forced = isTest ? FORCED.get(ctx.get(TEST_HEADER)) : undefined;
    if (!isTest) {
      const isOpen = access?.isActive === true;
      services.usage.countCheck({ ...asked, isKnown: access?.type != null, isOpen });
    }
    return json(presentEntitlement(forced ?? access!, { ...asked, isTest }));
  },
});

export const routes = [checkEntitlement];
