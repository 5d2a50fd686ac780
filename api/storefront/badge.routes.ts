import { z } from 'zod';
import { findBadgeFacts, type BadgeFacts } from '../../domain/catalog/storefront-product.query.ts';
import { defineRoute } from '../http/route.ts';
import type { HttpError } from '../http/errors.ts';
import type { Services } from '../services.ts';
import {
  LISTED_BADGE,
  NEUTRAL_BADGE,
  NOT_LISTED_BADGE,
  SEALED_BADGE,
} from '../html/badge-drawings.ts';
import { productRef } from '../http/params.ts';
import { isReference } from '../../domain/catalog/product-reference.ts';

// Any site may show it, and asks each time whether it still holds.
const headers = { 'cache-control': 'no-cache', 'cross-origin-resource-policy': 'cross-origin' };
const type = 'image/svg+xml; charset=utf-8';

// Any other value, and several, are as none.
const badgeQuery = z.object({ seal: z.literal('1').optional().catch(undefined) });

const showBadge = defineRoute({
  method: 'GET',
  path: '/p/:ref/badge',
  mayEndInSlash: true,
  summary: 'Get the badge',
  credential: 'public',
  limit: 'badge',
  isServedOverLimit: true,
  input: { params: productRef, query: badgeQuery },
  hasEtag: true,
  documentation: {
    statuses: [200, 304, 404, 429],
    errors: ['unavailable', 'internal_error'],
    operationId: 'getBadge',
    tag: 'Selling',
    isPicture: true,
    query: z.object({
      seal: z
        .string()
        .optional()
        .meta({
          description:
            '`1` shows the quality seal, where the product holds it. Other values are ignored.',
          examples: ['1'],
        }),
    }),
    description:
      'An SVG that says `Listed` while the product is listed, and `Not listed` otherwise. With `?seal=1` it says `Quality seal` while the product is listed and holds the seal. An unknown product gets `Not listed` with 404. Revalidate the badge before each use (`ETag`). Past the limit the badge says what was known within the last minute; where nothing is known, a neutral picture comes with 429.',
  },
  async handler({ ctx, services, params: { ref }, query }) {
    const overLimit = ctx.state['overLimit'] as HttpError | undefined;
    const isFromMemory = overLimit !== undefined && isReference(ref);
    const known = isFromMemory ? services.knownBadges.get(ref) : await readFacts(services, ref);
    if (known === undefined) {
      const { status, headers: retryAfter } = overLimit!;
      return { status, headers: { ...headers, ...retryAfter }, type, body: NEUTRAL_BADGE };
    }
    const { facts } = known;
    const body = chooseDrawing(facts, query.seal === '1');
    return { status: facts ? 200 : 404, headers, type, body };
  },
});

async function readFacts({ database, knownBadges }: Services, ref: string) {
  if (!isReference(ref)) return { facts: null };
  const known = { facts: await findBadgeFacts(database.pool, ref) };
  knownBadges.set(ref, known);
  return known;
}

/** A product loses its seal when it is unlisted. */
function chooseDrawing(facts: BadgeFacts | null, isSealAsked: boolean): string {
  if (!facts?.isListed) return NOT_LISTED_BADGE;
  return isSealAsked && facts.hasSeal ? SEALED_BADGE : LISTED_BADGE;
}

export const routes = [showBadge];
