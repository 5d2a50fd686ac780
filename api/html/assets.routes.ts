import { z } from 'zod';
import { given } from '../http/fields.ts';
import { HttpError } from '../http/errors.ts';
import { defineRoute } from '../http/route.ts';
import { ASSETS } from './assets.ts';

const byPath = new Map([...ASSETS.values()].map((asset) => [asset.path, asset]));

/** A name without a hash is for people and programs that link to an asset: its bytes may change. */
const getAsset = defineRoute({
  method: 'GET',
  path: '/assets/:file',
  summary: 'Get a style sheet, script, picture or font',
  credential: 'public',
  limit: null,
  input: { params: z.object({ file: given(64) }) },
  async handler({ ctx, params }) {
    const hashed = byPath.get(ctx.path);
    const asset = hashed ?? ASSETS.get(params.file);
    if (!asset) throw new HttpError('not_found');
    const maxAge = hashed ? 'max-age=31536000, immutable' : 'max-age=3600';
    const accepted = ctx.acceptsEncodings(...asset.encodings) || 'identity';
    const encoding = accepted as (typeof asset.encodings)[number];
    const headers = {
      'cache-control': `public, ${maxAge}`,
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    };
    return { status: 200, headers, type: asset.type, body: await asset.bodyIn(encoding) };
  },
});

export const routes = [getAsset];
