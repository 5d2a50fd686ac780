import { changeListing } from '../../../../domain/catalog/listing.command.ts';
import { loadListing } from '../../../../domain/catalog/listing.repository.ts';
import { addRelease } from '../../../../domain/catalog/releases/release.command.ts';
import { addImports } from './seen-imports.ts';
import type { TestApi } from '../../http/api.ts';

const DESCRIPTION = `Paper Trail keeps every receipt in order, and **finds it again**.

## What it does

- reads a receipt from a picture
- sorts by [shop](https://shops.example/), day and amount

1. Take a picture.
2. Forget about it.

> It never shows an advertisement.

    paper find --shop "A name of a shop that is rather long" --between 2026-01-01 2026-12-31 --sum

https://example.com/${'a-long-address-without-a-place-to-break'.repeat(4)}`;

type Seen = { productId: string; draftId: string; builderId: string };

/** A product with everything that a listing has, and a draft of which nothing is written. */
export async function addListing(api: TestApi, { productId, draftId, builderId }: Seen) {
  const em = api.database.em();
  const change = { productId, teamId: null, by: { personId: builderId, ip: null } };
  const saved = await loadListing(em, productId);
  await changeListing(em, {
    ...change,
    version: saved.version,
    text: {
      ...saved,
      websiteUrl: 'https://paper.example/app',
      description: DESCRIPTION,
      platforms: ['web', 'ios', 'android', 'cli'],
      tags: ['receipts', 'paper', 'home-office'],
      docsUrl: 'https://docs.paper.example/',
      sourceUrl: 'https://code.example/paper',
    },
  });
  for (const [version, day, notes] of [
    ['3.4', '2026-11-19', 'Finds by *amount*.\n\n- faster\n- smaller'],
    ['3.4.0-beta.1+a-build-with-a-rather-long-', '2026-11-01', null],
    ['3.3', null, '`paper sum` adds up.'],
  ] as const) {
    const publishedAt = day === null ? null : new Date(day);
    await addRelease(em, { ...change, version, publishedAt, notes });
  }
  for (const table of ['listing', 'product_image']) {
    await api.test.query(`delete from ${table} where product_id = $1`, [draftId]);
  }
  return addImports(api, { productId, builderId });
}
