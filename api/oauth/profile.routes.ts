import { GONE, requireToken } from '../http/authenticate.ts';
import { explainCredential, NOTHING_SENT } from '../http/credential.ts';
import { json } from '../http/response.ts';
import { defineRoute } from '../http/route.ts';
import { presentProfile, profile } from './profile.presenter.ts';

const readProfile = defineRoute({
  method: 'GET',
  path: '/api/v1/me',
  summary: 'Get the profile',
  credential: 'token',
  limit: 'api_reads',
  isCrossOrigin: true,
  input: {},
  documentation: {
    statuses: [200],
    errors: [
      'unauthorized',
      'insufficient_scope',
      'not_found',
      'rate_limited',
      'unavailable',
      'internal_error',
    ],
    operationId: 'getProfile',
    tag: 'Identity',
    description:
      'Says who the person of the token is. A 401 means that consent was withdrawn or has expired: sign the person in again. A 404 means that the person or the client no longer exists.',
    output: profile,
    meanings: { 404: GONE },
    errorExamples: {
      unauthorized: { message: explainCredential(NOTHING_SENT, 'token') },
      not_found: { message: GONE },
    },
  },
  async handler({ ctx, services }) {
    const { bearer, access } = await requireToken(
      { ctx, services },
      { limit: 'api_reads', scope: 'identity', readsAccess: true },
    );
    const { productId } = bearer;
    if (access && productId) {
      await services.usage.recordByToken({ ...bearer, productId }, 'profile_read');
    }
    return json(presentProfile(bearer, { access, baseUrl: services.config.baseUrl }));
  },
});

export const routes = [readProfile];
