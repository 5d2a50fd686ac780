import { z } from 'zod';
import { drawAvatar } from '../../domain/identity/pictures/avatar.ts';
import { findPersonImage } from '../../domain/identity/pictures/person-image.repository.ts';
import { parseUuid } from '../../domain/shared/ids.ts';
import { HttpError } from '../http/errors.ts';
import { defineRoute } from '../http/route.ts';
import { given } from '../http/fields.ts';

const SHOWN_ANYWHERE = { 'cross-origin-resource-policy': 'cross-origin' };
const FILE = /^([0-9a-f]{32})\.webp$/;

/** Returns the address of a person's picture: their own, or the one drawn for them. */
export function personImageUrl(
  baseUrl: string,
  { personId, imageName }: { personId: string; imageName: string | null },
): string {
  const file = imageName === null ? 'avatar.svg' : `image/${imageName}.webp`;
  return `${baseUrl}/people/${personId}/${file}`;
}

/** Drawn for any identifier, so it tells nobody who exists. */
const showAvatar = defineRoute({
  method: 'GET',
  path: '/people/:id/avatar.svg',
  summary: 'Get the generated picture of a person',
  credential: 'public',
  limit: null,
  countsAs: 'pages',
  input: { params: z.object({ id: given(36) }) },
  hasEtag: true,
  handler({ params }) {
    const personId = parseUuid(params.id);
    if (personId === null) throw new HttpError('not_found');
    const body = drawAvatar(personId);
    const headers = { ...SHOWN_ANYWHERE, 'cache-control': 'public, max-age=86400' };
    return { status: 200, headers, type: 'image/svg+xml', body };
  },
});

/** The file name changes with the picture, so caches may keep the response for a year. */
const showPersonImage = defineRoute({
  method: 'GET',
  path: '/people/:id/image/:file',
  summary: 'Get the uploaded picture of a person',
  credential: 'public',
  limit: null,
  countsAs: 'pages',
  input: { params: z.object({ id: given(36), file: given(37) }) },
  async handler({ services, params }) {
    const personId = parseUuid(params.id);
    const name = FILE.exec(params.file)?.[1];
    const key = personId !== null && name !== undefined && { personId, name };
    const body = key && (await findPersonImage(services.database.em(), key));
    if (!body) throw new HttpError('not_found');
    const headers = { ...SHOWN_ANYWHERE, 'cache-control': 'public, max-age=31536000, immutable' };
    return { status: 200, headers, type: 'image/webp', body };
  },
});

export const routes = [showAvatar, showPersonImage];
