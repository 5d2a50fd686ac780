import { readAccess, type Access } from '../../domain/entitlements/access.store.ts';
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
    const access = await readOwnAccess(services, bearer);
    return json(presentProfile(bearer, { union: access, baseUrl: services.config.baseUrl }));
  },
});

/** To the product of the token's client, and evidence of use; null where the token does not reach that far. */
async function readOwnAccess(
  { database, usage }: Services,
  { productId, personId, scopes }: Bearer,
): Promise<Access | null> {
  if (productId === null || !scopes.includes('entitlements')) return null;
  const key = { productId, personId };
  const access = await readAccess(database.pool, key);
  await usage.recordProfileRead(key, access.at);
  return access;
}
