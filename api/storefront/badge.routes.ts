import { findListing } from '../../domain/catalog/offering.query.ts';
import { defineRoute } from '../route.ts';
import { LISTED_BADGE, NOT_LISTED_BADGE } from './badge.ts';
import { isReference, productRef } from './product-ref.ts';

// Any site may show it, and asks each time whether it still holds.
const headers = { 'cache-control': 'no-cache', 'cross-origin-resource-policy': 'cross-origin' };
const type = 'image/svg+xml; charset=utf-8';

export const showBadge = defineRoute({
  method: 'GET',
  path: '/p/:ref/badge',
  summary: 'Get the badge of a product',
  credential: 'public',
  limit: 'badge',
  input: { params: productRef },
  hasEtag: true,
  statuses: [200, 304, 404],
  errors: ['rate_limited', 'unavailable', 'internal_error'],
  documentation: {
    operationId: 'getBadge',
    tag: 'Selling',
    isPicture: true,
    description:
      'An SVG that says `Listed` while the product is listed, and `Not listed` otherwise. An unknown product gets `Not listed` with 404. Revalidate the badge before each use (`ETag`).',
  },
  async handler({ services, params: { ref } }) {
    const listing = isReference(ref) ? await findListing(services.database.pool, ref) : null;
    const body = listing?.isListed ? LISTED_BADGE : NOT_LISTED_BADGE;
    if (!listing) return { status: 404, headers, type, body };
    return { status: 200, headers, type, body };
  },
});
