import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { Failure } from '../errors.ts';
import { defineRoute, type Route } from '../route.ts';
import { given } from '../account/fields.ts';

type File = { body: Buffer; type: string };

export function readFile(url: string, type: string): File {
  return { body: readFileSync(new URL(url)), type };
}

/** A folder of the surface that holds exactly the listed files. */
export function fileRoute(folder: string, files: Record<string, File>): Route {
  const listed = new Map(Object.entries(files));
  return defineRoute({
    method: 'GET',
    path: `${folder}/:file`,
    summary: 'Get a style sheet, script or picture',
    credential: 'public',
    limit: null,
    input: { params: z.object({ file: given(64) }) },
    statuses: [200],
    errors: ['not_found'],
    handler({ params }) {
      const file = listed.get(params.file);
      if (!file) throw new Failure('not_found');
      return { status: 200, headers: { 'cache-control': 'public, max-age=3600' }, ...file };
    },
  });
}
