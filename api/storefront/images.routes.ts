import { z } from 'zod';
import { WIDTHS } from '../../domain/catalog/pictures/picture.ts';
import { findImage } from '../../domain/catalog/pictures/picture.repository.ts';
import { given } from '../http/fields.ts';
import { HttpError } from '../http/errors.ts';
import { defineRoute } from '../http/route.ts';

const FILE = /^([0-9a-f]{32})-([0-9]{3,4})\.webp$/;
const LONGEST_FILE = 42;

/** The hash is of the picture's upload, so caches may keep the response for a year. */
const headers = { 'cache-control': 'public, max-age=31536000, immutable' };

/** Reads neither a session nor, for an unknown picture, who looks at the error. */
const showImage = defineRoute({
  method: 'GET',
  path: '/images/:file',
  summary: 'Get a picture of a product',
  credential: 'public',
  limit: null,
  countsAs: 'pictures',
  input: { params: z.object({ file: given(LONGEST_FILE) }) },
  async handler({ ctx, services, params }) {
    const named = readName(params.file);
    const body = named && (await findImage(services.database.em(), named));
    if (body) return { status: 200, headers, type: 'image/webp', body };
    ctx.state['currentUser'] = null;
    throw new HttpError('not_found');
  },
});

function readName(file: string) {
  const [, hash, digits] = FILE.exec(file) ?? [];
  const width = WIDTHS.find((each) => String(each) === digits);
  return hash !== undefined && width !== undefined ? { hash, width } : null;
}

export const routes = [showImage];
