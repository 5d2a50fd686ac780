import type { IncomingMessage, ServerResponse } from 'node:http';
import test from 'ava';
import { parseRepositoryAddress } from '../../../clients/repositories/repository-address.ts';
import { createRepositories } from '../../../clients/repositories/repositories.ts';
import { meetSites, redirectTo } from '../../support/http/sites.ts';

const sites = meetSites();
test.after.always(() => sites.close());

const NOW = new Date('2026-03-01T12:00:00.000Z');
const RESET = Date.parse('2026-03-01T12:20:00.000Z') / 1_000;

type Reply = { status?: number; headers?: Record<string, string>; json?: unknown; to?: string };

/** A forge that answers each path as told; what it was asked is kept. */
async function meet(replies: Record<string, Reply>, attempt = 0) {
  const asked: string[] = [];
  const url = await sites.serve((request, response) => {
    asked.push(request.url!);
    answer(replies[new URL(request.url!, 'http://a').pathname], request, response);
  });
  const baseUrls = { github: url, gitlab: url, codeberg: url };
  const repositories = createRepositories({ get: sites.client().get, baseUrls });
  const read = (address: string) =>
    repositories.read(parseRepositoryAddress(address)!, { now: NOW, attempt });
  return { asked, read };
}

function answer(reply: Reply | undefined, request: IncomingMessage, response: ServerResponse) {
  if (request.headers['user-agent'] !== 'Gatehouse') return response.writeHead(400).end();
  if (reply?.to !== undefined) return redirectTo(response, reply.to, 301);
  const { status = reply ? 200 : 404, headers = {}, json = {} } = reply ?? {};
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  return response.end(JSON.stringify(json));
}

const PAPER = 'https://github.com/maker/paper';
const REPOSITORY = {
  json: {
    full_name: 'maker/paper',
    description: 'Files paper.',
    topics: ['Paper', 'open_source', 'x', 'paper', 'a-topic-that-is-far-too-long-for-a-tag'],
  },
};

const release = (tag_name: string, published_at: string | null, more: object = {}) => ({
  tag_name,
  published_at,
  body: `Notes of ${tag_name}`,
  draft: false,
  prerelease: false,
  ...more,
});

test('a repository gives tags and releases by two requests', async (t) => {
  const forge = await meet({
    '/repos/maker/paper': REPOSITORY,
    '/repos/maker/paper/releases': {
      json: [
        release('v1.9.0', '2026-01-01T00:00:00Z'),
        release('v1.10.0', '2026-01-02T02:00:00+01:00'),
        release('v2.0.0-9', '2026-02-01T00:00:00Z', { prerelease: true }),
        release('v3.0.0', null, { draft: true }),
      ],
    },
  });
  t.deepEqual(await forge.read(`${PAPER}.git`), {
    outcome: 'found',
    requests: 2,
    limit: null,
    found: {
      description: 'Files paper.',
      tags: ['paper', 'open-source'],
      groups: [
        {
          prefix: '',
          releases: [
            {
              version: '1.10.0',
              publishedAt: '2026-01-02T01:00:00.000Z',
              notes: 'Notes of v1.10.0',
            },
            { version: '1.9.0', publishedAt: '2026-01-01T00:00:00.000Z', notes: 'Notes of v1.9.0' },
          ],
        },
      ],
      areTags: false,
    },
  });
  t.deepEqual(forge.asked, ['/repos/maker/paper', '/repos/maker/paper/releases?per_page=20']);
});

test('tags of git are asked for where there are no releases, and come by version', async (t) => {
  const names = ['v9.0.0', 'v10.0.0', 'v10.1.0-rc.1', 'nightly', '0.9'];
  const forge = await meet({
    '/repos/maker/paper': REPOSITORY,
    '/repos/maker/paper/releases': { json: [release('v1', null, { draft: true })] },
    '/repos/maker/paper/tags': { json: names.map((name) => ({ name })) },
  });
  const reading = await forge.read(PAPER);
  t.like(reading, { outcome: 'found', requests: 3, found: { areTags: true } });
  const releases = ['10.0.0', '9.0.0', '0.9'].map((version) => ({
    version,
    publishedAt: null,
    notes: null,
  }));
  t.like(reading, { found: { groups: [{ prefix: '', releases }] } });
});

test('a renamed repository costs one of three requests more', async (t) => {
  const forge = await meet({
    '/repos/maker/paper': { to: '/repositories/7' },
    '/repositories/7': { json: { full_name: 'maker/new' } },
    '/repos/maker/new/releases': { json: [] },
  });
  t.like(await forge.read(PAPER), { outcome: 'found', requests: 3, found: { groups: [] } });
  t.deepEqual(forge.asked, [
    '/repos/maker/paper',
    '/repositories/7',
    '/repos/maker/new/releases?per_page=20',
  ]);
});

test('redirects are followed up to three requests', async (t) => {
  const forge = await meet({
    '/repos/maker/paper': { to: '/one' },
    '/one': { to: '/two' },
    '/two': REPOSITORY,
  });
  t.like(await forge.read(PAPER), { outcome: 'found', requests: 3 });
  const longer = await meet({
    '/repos/maker/paper': { to: '/one' },
    '/one': { to: '/two' },
    '/two': { to: '/three' },
  });
  const refused = { outcome: 'refused', requests: 3, refused: 'too_many_redirects' };
  t.like(await longer.read(PAPER), refused);
  t.is(longer.asked.length, 3);
});

const LIMITS: [string, Reply, number, string][] = [
  [
    'a 403 without a rest waits until the limit is reset',
    { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${RESET}` } },
    0,
    '2026-03-01T12:20:00.000Z',
  ],
  [
    'a 429 waits as long as it says',
    { status: 429, headers: { 'retry-after': '600' } },
    0,
    '2026-03-01T12:10:00.000Z',
  ],
  [
    'a 429 may say a date',
    { status: 429, headers: { 'retry-after': 'Sun, 01 Mar 2026 13:00:00 GMT' } },
    0,
    '2026-03-01T13:00:00.000Z',
  ],
  [
    'no wait is shorter than a minute',
    { status: 429, headers: { 'retry-after': '1' } },
    0,
    '2026-03-01T12:01:00.000Z',
  ],
  [
    'no wait is longer than a day',
    { status: 429, headers: { 'retry-after': '9999999' } },
    0,
    '2026-03-02T12:00:00.000Z',
  ],
  ['a limit that says nothing waits a minute', { status: 403 }, 0, '2026-03-01T12:01:00.000Z'],
  [
    'a limit that says nothing waits longer each time',
    {
      status: 403,
      headers: { 'x-ratelimit-remaining': '9', 'x-ratelimit-reset': `${RESET}` },
    },
    3,
    '2026-03-01T12:08:00.000Z',
  ],
];

for (const [title, reply, attempt, until] of LIMITS) {
  test(title, async (t) => {
    const forge = await meet({ '/repos/maker/paper': reply }, attempt);
    const expected = { outcome: 'limited', requests: 1, until: new Date(until) };
    t.like(await forge.read(PAPER), expected);
  });
}

test('the limit that the last response names is told', async (t) => {
  const headers = (remaining: string) => ({
    headers: { 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': `${RESET}` },
  });
  const forge = await meet({
    '/repos/maker/paper': { ...REPOSITORY, ...headers('41') },
    '/repos/maker/paper/releases': { json: [release('v1.0.0', null)], ...headers('40') },
  });
  t.like(await forge.read(PAPER), {
    requests: 2,
    limit: { remaining: 40, resetsAt: new Date(RESET * 1_000) },
  });
});

test('GitLab: nested groups, releases that are announced only, its own limits', async (t) => {
  const project = '/projects/a%2Fb%2Fc';
  const forge = await meet({
    [project]: {
      json: { path_with_namespace: 'a/b/c', description: null, topics: ['cli'] },
      headers: { 'ratelimit-remaining': '399', 'ratelimit-reset': `${RESET}` },
    },
    [`${project}/releases`]: {
      json: [
        { tag_name: 'v2.0.0', released_at: '2027-01-01T00:00:00.000Z', upcoming_release: true },
        { tag_name: 'v1.0.0', released_at: '2026-01-01T00:00:00.000Z', description: 'First.' },
      ],
    },
  });
  const reading = await forge.read('https://gitlab.com/a/b/c/-/tree/main');
  t.like(reading, { requests: 2, limit: { remaining: 399 }, found: { tags: ['cli'] } });
  const releases = [{ version: '1.0.0', publishedAt: '2026-01-01T00:00:00.000Z', notes: 'First.' }];
  t.like(reading, { found: { groups: [{ prefix: '', releases }] } });
});

test('GitLab: releases that a project hides are none', async (t) => {
  const project = '/projects/a%2Fb';
  const forge = await meet({
    [project]: { json: { path_with_namespace: 'a/b' } },
    [`${project}/releases`]: { status: 403 },
    [`${project}/repository/tags`]: { json: [{ name: '1.0.0' }] },
  });
  t.like(await forge.read('https://gitlab.com/a/b'), {
    outcome: 'found',
    requests: 3,
    found: { areTags: true },
  });
});

test('Codeberg is asked with its own names of parameters, and names no limit', async (t) => {
  const forge = await meet({
    '/repos/maker/paper': REPOSITORY,
    '/repos/maker/paper/releases': { json: [] },
    '/repos/maker/paper/tags': { json: [], headers: { 'x-total-count': '0' } },
  });
  t.like(await forge.read('https://codeberg.org/maker/paper'), { requests: 3, limit: null });
  t.deepEqual(forge.asked.slice(1), [
    '/repos/maker/paper/releases?limit=20&draft=false&pre-release=false',
    '/repos/maker/paper/tags?limit=50',
  ]);
});

const REFUSED: [string, Reply, string][] = [
  ['that does not exist', { status: 404 }, 'not_found'],
  ['that the law hides', { status: 451 }, 'not_found'],
  ['whose forge fails', { status: 502 }, 'unreachable'],
  ['that is told in another shape', { json: { full_name: 7 } }, 'unreadable_body'],
  ['that is a page', { headers: { 'content-type': 'text/html' } }, 'wrong_type'],
  ['of more than 600 KB', { json: { x: 'x'.repeat(700_000) } }, 'too_large'],
];

for (const [what, reply, refused] of REFUSED) {
  test(`a repository ${what} is refused`, async (t) => {
    const forge = await meet({ '/repos/maker/paper': reply });
    t.like(await forge.read(PAPER), { outcome: 'refused', refused });
  });
}
