import { newUuid } from '../../../../domain/shared/ids.ts';
import type { ImportFindings } from '../../../../domain/catalog/imports/import-findings.ts';
import {
  insertImport,
  moveImport,
  type Move,
} from '../../../../domain/catalog/imports/listing-import.repository.ts';
import type { ImportKind } from '../../../../domain/catalog/imports/import-state.ts';
import { NO_FINDINGS } from '../../catalog/imports.ts';
import type { TestApi } from '../../http/api.ts';

const SITE = 'https://paper.example';

const FOUND: ImportFindings = {
  ...NO_FINDINGS,
  texts: {
    name: 'Paper Trail',
    tagline: 'Keeps all receipts in order, and finds them again.',
    description: 'It reads a receipt from a picture and sorts it by shop, day and amount. '.repeat(
      6,
    ),
    websiteUrl: `${SITE}/`,
    sourceUrl: `https://code.example/${'a-long-address-without-a-break'.repeat(4)}`,
  },
  icons: [`${SITE}/touch-icon.png`],
  skippedIcons: [`${SITE}/favicon.svg`],
  screenshots: ['inbox', 'search', 'sums'].map((name) => `${SITE}/screenshots/${name}.png`),
  hints: { canonical: 'https://www.paper.example/', refresh: null },
  isCut: true,
};

const releases = (...versions: string[]) =>
  versions.map((version) => ({ version, publishedAt: null, notes: null }));

const MONOREPO: ImportFindings = {
  ...NO_FINDINGS,
  texts: { tags: ['receipts', 'scanner'], sourceUrl: 'https://github.com/maker/paper' },
  groups: [
    { prefix: 'app@', releases: releases('3.5.0', '3.4.0', '3.3.1') },
    { prefix: 'cli/', releases: releases('1.2.0', '1.1.0') },
  ],
  areTags: true,
};

const taken = (kind: 'icon' | 'screenshot', name: string) => ({
  kind,
  addresses: [`${SITE}/${name}`],
  failed: [],
});

const PICTURES = [
  { ...taken('icon', 'icon.png'), outcome: 'added' as const },
  {
    ...taken('screenshot', 'inbox.png'),
    outcome: 'failed' as const,
    failed: [{ address: `${SITE}/inbox.png`, problem: 'timed_out' as const }],
  },
];

type Seen = { productId: string; builderId: string };

/** Imports of a product in the states in which people look at them. */
export async function addImports(api: TestApi, { productId, builderId }: Seen) {
  const em = api.database.em();
  const add = async (kind: ImportKind, moves: Move[]) => {
    const id = newUuid();
    const address = kind === 'page' ? `${SITE}/` : 'https://github.com/maker/paper';
    await insertImport(em, { id, productId, kind, address });
    for (const move of moves) await moveImport(em, id, move);
    return id;
  };
  const fetching = { to: 'fetching' } as const;
  const ready = { to: 'ready', findings: FOUND } as const;
  const until = new Date(Date.now() + 40 * 60_000);
  return {
    reading: await add('page', [fetching]),
    waiting: await add('repository', [fetching, { to: 'waiting', until }]),
    refused: await add('page', [{ to: 'refused', refusal: 'timed_out' }]),
    found: await add('page', [fetching, ready]),
    monorepo: await add('repository', [fetching, { to: 'ready', findings: MONOREPO }]),
    applied: await add('page', [
      fetching,
      ready,
      { to: 'applying', pictures: PICTURES, appliedBy: builderId },
      { to: 'applied' },
    ]),
  };
}
