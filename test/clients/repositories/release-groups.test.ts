import test from 'ava';
import { groupReleases, groupTags } from '../../../clients/repositories/release-groups.ts';
import { parseRepositoryAddress } from '../../../clients/repositories/repository-address.ts';

const versions = (groups: ReturnType<typeof groupTags>) =>
  groups.map(({ prefix, releases }) => [prefix, ...releases.map(({ version }) => version)]);

const tags = (...names: string[]) => versions(groupTags(names));

test('tags are ordered by version, not by name', (t) => {
  t.deepEqual(tags('v9.0.0', 'v10.0.0', '9.0.1', 'v9.1'), [
    ['', '10.0.0', '9.1', '9.0.1', '9.0.0'],
  ]);
  t.deepEqual(tags('2024.01.05', '2024.11.01'), [['', '2024.11.01', '2024.01.05']]);
});

test('tags of several products are grouped by what they begin with', (t) => {
  const found = tags('pkg-a@1.2.0', 'pkg-b/v3.0.0', 'pkg-a@1.10.0', 'pkg-b/v2.0.0');
  t.deepEqual(found, [
    ['pkg-b/', '3.0.0', '2.0.0'],
    ['pkg-a@', '1.10.0', '1.2.0'],
  ]);
});

test('pre-releases and tags that name no version are left out, and 12 are kept', (t) => {
  t.deepEqual(tags('v1.0.0-rc.1', 'nightly', 'v7', '', `v1.0.${'0'.repeat(200)}`), []);
  const many = Array.from({ length: 30 }, (_, index) => `v1.${index}.0`);
  t.deepEqual(tags(...many)[0]!.slice(0, 3), ['', '1.29.0', '1.28.0']);
  t.is(groupTags(many)[0]!.releases.length, 12);
});

test('five releases are kept, by their date and then by version', (t) => {
  const on = (tag: string, day: string) => ({
    tag,
    publishedAt: `2026-01-${day}T00:00:00.000Z`,
    notes: null,
  });
  const releases = [
    on('v1.0.9', '01'),
    on('v1.0.10', '01'),
    on('Winter', '05'),
    on('v1.1.0', '03'),
    on('v0.9.0', '04'),
    on('v0.8.0', '01'),
  ];
  t.deepEqual(versions(groupReleases(releases)), [
    ['', 'Winter', '0.9.0', '1.1.0', '1.0.10', '1.0.9'],
  ]);
  const long = groupReleases([
    { tag: 'x'.repeat(99), publishedAt: null, notes: 'n'.repeat(9_000) },
  ]);
  t.deepEqual(
    long[0]!.releases.map(({ version, notes }) => [version.length, notes!.length]),
    [[40, 4_000]],
  );
});

const ADDRESSES: [string, string | null][] = [
  ['https://github.com/maker/paper', 'github maker/paper'],
  ['http://www.github.com/maker/paper.git', 'github maker/paper'],
  [' https://github.com/maker/paper/releases/tag/v1 ', 'github maker/paper'],
  ['https://gitlab.com/a/b/c.git', 'gitlab a/b/c'],
  ['https://gitlab.com/a/b/c/-/releases', 'gitlab a/b/c'],
  ['https://codeberg.org/maker/paper/src/branch/main', 'codeberg maker/paper'],
  ['https://github.com/maker', null],
  ['https://github.com/maker/..', null],
  ['https://github.com/maker/%2e%2e%2fx', null],
  ['https://github.com:8443/maker/paper', null],
  ['https://user@github.com/maker/paper', null],
  ['https://github.example/maker/paper', null],
  ['git@github.com:maker/paper.git', null],
  ['maker/paper', null],
  [`https://github.com/maker/${'x'.repeat(600)}`, null],
];

for (const [address, expected] of ADDRESSES) {
  test(`the repository of ${address.slice(0, 60)} is ${expected}`, (t) => {
    const found = parseRepositoryAddress(address);
    t.is(found && `${found.forge} ${found.path}`, expected);
  });
}
