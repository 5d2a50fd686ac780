import { hash } from 'node:crypto';
import { z } from 'zod';
import { drawAvatar } from '../../domain/identity/avatar.ts';
import { parseUuid } from '../../domain/platform/ids.ts';
import { Failure } from '../errors.ts';
import { defineRoute } from '../route.ts';

/** Drawn for any identifier, so it tells nobody who exists. */
export const showAvatar = defineRoute({
  method: 'GET',
  path: '/people/:id/avatar.svg',
  summary: 'The picture of a person',
  credential: 'public',
  limit: null,
  input: { params: z.object({ id: z.string() }) },
  statuses: [200, 304],
  errors: ['not_found'],
  handler({ ctx, params }) {
    const personId = parseUuid(params.id);
    if (personId === null) throw new Failure('not_found');
    const body = drawAvatar(personId);
    const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
    const headers = {
      etag,
      'cache-control': 'public, max-age=86400',
      'cross-origin-resource-policy': 'cross-origin',
    };
    if (ctx.get('if-none-match').includes(etag)) return { status: 304, headers };
    return { status: 200, headers, type: 'image/svg+xml', body };
  },
});
