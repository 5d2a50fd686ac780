import { readAccess } from '../../domain/entitlements/access.store.ts';
import type { Union } from '../../domain/entitlements/union.ts';
import type { Bearer } from '../../domain/identity/oauth/token.store.ts';
import { json } from '../answer.ts';
import { defineRoute } from '../route.ts';
import type { Services } from '../services.ts';
import { presentProfile, profile } from './profile.schema.ts';

export const readProfile = defineRoute({
  method: 'GET',
  path: '/api/v1/me',
  summary: 'Who is this person?',
  credential: 'token',
  scope: 'identity',
  limit: 'api_reads',
  isCrossOrigin: true,
  input: {},
  statuses: [200],
  errors: [
    'unauthorized',
    'insufficient_scope',
    'not_found',
    'rate_limited',
    'unavailable',
    'internal_error',
  ],
  documentation: {
    tag: 'Identity',
    description:
      'A 401 means that consent was withdrawn or has expired: sign the person in again. A 404 means that the person or the client no longer exists.',
    output: profile,
  },
  async handler({ services, bearer }) {
    const union = await readOwnAccess(services, bearer);
    return json(presentProfile(bearer, { union, baseUrl: services.config.baseUrl }));
  },
});

/** To the product of the token's client, and evidence of its use; null where the token does not reach that far. */
async function readOwnAccess(
  { database, usage }: Services,
  { productId, scopes, ...bearer }: Bearer,
): Promise<Union | null> {
  if (productId === null || !scopes.includes('entitlements')) return null;
  const holder = { ...bearer, productId };
  const union = await readAccess(database.pool, holder);
  await usage.recordByToken(holder, 'profile_read');
  return union;
}
