import test from 'ava';
import {
  readPageFindings,
  readRepositoryFindings,
} from '../../../domain/catalog/imports/import-findings.ts';
import { decideWait } from '../../../domain/catalog/imports/import-state.ts';

const release = (version: string, notes: string) => ({ version, publishedAt: null, notes });

test('an import waits for its forge for three days at most', (t) => {
  const createdAt = new Date('2026-03-01T12:00:00Z');
  const until = new Date('2026-03-04T12:00:00Z');
  t.deepEqual(decideWait({ createdAt, until }), { to: 'waiting', until });
  const later = new Date('2026-03-04T12:00:01Z');
  t.deepEqual(decideWait({ createdAt, until: later }), { to: 'refused', refusal: 'forge_busy' });
});

const PAGE = {
  name: null,
  tagline: null,
  description: null,
  icons: [],
  skippedIcons: [],
  screenshots: [],
  links: {},
  hints: { canonical: null, refresh: null },
  isCut: false,
};
const PLATFORM = 'https://gatehouse.example';
const textsOf = (page: Partial<Parameters<typeof readPageFindings>[0]>) =>
  readPageFindings({ ...PAGE, ...page }, PLATFORM).texts;

test('a page offers what its listing takes: lines end with a word, other texts are left out', (t) => {
  const tagline = 'Files all the paper that you have '.repeat(5);
  t.deepEqual(textsOf({ name: 'Paper\u200b Trail', tagline }), {
    name: 'Paper Trail',
    tagline: `${'Files all the paper that you have '.repeat(4)}…`.replace(' …', '…'),
  });
  t.deepEqual(textsOf({ name: 'Gatehouse' }), {}, 'a name of the platform');
  t.deepEqual(
    textsOf({ links: { site: 'http://paper.example/', docs: 'https://paper.example/docs' } }),
    {
      docsUrl: 'https://paper.example/docs',
    },
  );
});

test('whatever a page or a repository says fits its row', (t) => {
  const long = (n: number) => `https://paper.example/${'x'.repeat(2_000)}${n}`;
  const eight = Array.from({ length: 8 }, (_, n) => long(n));
  const pictures = { icons: eight, skippedIcons: eight, screenshots: eight };
  const links = { site: long(8), docs: long(9), source: long(10), changelog: long(11) };
  const page = readPageFindings(
    { ...PAGE, ...pictures, links, description: '"😀'.repeat(10_000) },
    PLATFORM,
  );
  t.true(page.texts.description!.length > 1_000);
  const releases = Array.from({ length: 5 }, (_, n) => release(`${n}.0.0`, '😀'.repeat(2_000)));
  const groups = Array.from({ length: 12 }, (_, n) => ({ prefix: `part-${n}@`, releases }));
  const repository = readRepositoryFindings(
    { description: 'x'.repeat(200_000), tags: ['a-b'], groups, areTags: false },
    { address: 'https://github.com/maker/paper', platformUrl: PLATFORM },
  );
  t.is(repository.groups.length, 12);
  // The database adds a space behind each comma and colon.
  for (const findings of [page, repository]) {
    t.true(Buffer.byteLength(JSON.stringify(findings)) <= 60_000);
  }
});
