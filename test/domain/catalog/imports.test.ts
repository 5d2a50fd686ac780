import test from 'ava';
import { recordPicture } from '../../../domain/catalog/imports/fetch-import.command.ts';
import {
  applyImport,
  requestImport,
  type Choice,
} from '../../../domain/catalog/imports/listing-import.command.ts';
import {
  findImport,
  moveImport,
  removeOldImports,
} from '../../../domain/catalog/imports/listing-import.repository.ts';
import {
  reserveRequests,
  settleRequests,
} from '../../../domain/catalog/imports/upstream-quota.repository.ts';
import { loadListing } from '../../../domain/catalog/listing.repository.ts';
import { loadPictures } from '../../../domain/catalog/pictures/picture.repository.ts';
import { WIDTHS } from '../../../domain/catalog/pictures/picture.ts';
import { listReleases } from '../../../domain/catalog/releases/release.repository.ts';
import { addManagedProduct, NO_FINDINGS, ownerOf } from '../../support/catalog/imports.ts';
import { PIXEL } from '../../support/http/picture-file.ts';
import { openTestDatabase } from '../../support/engines/database.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);
const { query } = testDatabase;

const ADDRESS = 'https://paper.example/';

async function ask({ personId, productId }: { personId: string; productId: string }) {
  const by = ownerOf(personId);
  const request = { productId, by, kind: 'page', address: ADDRESS } as const;
  return requestImport(database.em(), request);
}

async function start(): Promise<string> {
  const asked = await ask(await addManagedProduct(testDatabase));
  return (asked as { importId: string }).importId;
}

/** An import that found something, with its product. */
async function find(findings: Partial<typeof NO_FINDINGS>) {
  const owner = await addManagedProduct(testDatabase);
  const { importId } = (await ask(owner)) as { importId: string };
  await move(importId, { to: 'fetching' });
  await move(importId, { to: 'ready', findings: { ...NO_FINDINGS, ...findings } });
  const apply = (choice: Partial<Choice>, version = 0) =>
    applyImport(database.em(), {
      importId,
      productId: owner.productId,
      by: ownerOf(owner.personId),
      version,
      choice: { fields: [], icon: false, screenshots: false, prefix: null, ...choice },
    });
  return { ...owner, importId, apply };
}

const move = (id: string, to: Parameters<typeof moveImport>[2]) =>
  moveImport(database.em(), id, to);

test.serial('an import is queued and audited', async (t) => {
  const owner = await addManagedProduct(testDatabase);
  const { importId } = (await ask(owner)) as { importId: string };
  t.like(await findImport(database.em(), importId), {
    productId: owner.productId,
    kind: 'page',
    address: ADDRESS,
    state: 'queued',
  });
  const audited = await query('select action, detail from audit where subject = $1', [importId]);
  t.deepEqual(audited, [
    { action: 'import.requested', detail: { kind: 'page', address: ADDRESS } },
  ]);
});

test.serial('ten imports an hour and product are allowed, also at once', async (t) => {
  const owner = await addManagedProduct(testDatabase);
  const asked = await Promise.all(Array.from({ length: 12 }, () => ask(owner)));
  t.is(asked.filter((each) => 'refused' in each && each.refused === 'too_many').length, 2);
  await query(
    `update listing_import set created_at = now() - interval '61 minutes' where product_id = $1`,
    [owner.productId],
  );
  t.true('importId' in (await ask(owner)));
});

test.serial('a removed product imports nothing, and shows no import', async (t) => {
  const owner = await addManagedProduct(testDatabase);
  const { importId } = (await ask(owner)) as { importId: string };
  await query(`update product set state = 'removed' where id = $1`, [owner.productId]);
  t.deepEqual(await ask(owner), { refused: 'removed' });
  t.is(await findImport(database.em(), importId), null);
});

const PAPER = { ...NO_FINDINGS, texts: { name: 'Paper' } };
const long = (length: number) => ({ ...NO_FINDINGS, texts: { name: 'x'.repeat(length) } });
const someone = async () => (await addManagedProduct(testDatabase)).personId;

test.serial('an import moves as its states allow, and else stays', async (t) => {
  const id = await start();
  const until = new Date('2030-01-01T00:00:00.000Z');
  const applying = { to: 'applying' as const, pictures: [], appliedBy: await someone() };
  t.false(await move(id, { to: 'ready', findings: NO_FINDINGS }), 'it was not fetched');
  t.true(await move(id, { to: 'fetching' }));
  t.true(await move(id, { to: 'fetching' }), 'a lost worker begins again');
  t.true(await move(id, { to: 'waiting', until }));
  t.like(await findImport(database.em(), id), { state: 'waiting', waitUntil: until, waits: 1 });
  t.false(await move(id, { to: 'fetching' }), 'it waits still');
  await query(`update listing_import set wait_until = now() where id = $1`, [id]);
  t.true(await move(id, { to: 'fetching' }));
  t.true(await move(id, { to: 'ready', findings: PAPER }));
  t.false(await move(id, { to: 'refused', refusal: 'unreachable' }));
  t.true(await move(id, applying));
  t.false(await move(id, applying), 'only one of two applies it');
  t.true(await move(id, { to: 'applied' }));
  t.like(await findImport(database.em(), id), { state: 'applied', findings: PAPER });
  const refused = await start();
  t.true(await move(refused, { to: 'refused', refusal: 'unreachable' }));
  t.false(await move(refused, { to: 'fetching' }));
});

test.serial('findings are at most 64 KiB', async (t) => {
  const id = await start();
  await move(id, { to: 'fetching' });
  await t.throwsAsync(move(id, { to: 'ready', findings: long(65_536) }));
  t.true(await move(id, { to: 'ready', findings: long(65_000) }));
});

test.serial('findings expire after 30 days, and ended imports go after 60', async (t) => {
  const [ready, young, ended] = await Promise.all([start(), start(), start()]);
  for (const id of [ready, young]) {
    await move(id, { to: 'fetching' });
    await move(id, { to: 'ready', findings: NO_FINDINGS });
  }
  await move(ended, { to: 'refused', refusal: 'unreachable' });
  const age = (id: string, days: number) =>
    query(
      'update listing_import set changed_at = now() - make_interval(days => $2) where id = $1',
      [id, days],
    );
  await Promise.all([age(ready, 31), age(young, 29), age(ended, 61)]);
  t.false(await database.transaction(removeOldImports));
  t.like(await findImport(database.em(), ready), { state: 'expired', findings: null });
  t.like(await findImport(database.em(), young), { state: 'ready' });
  t.is(await findImport(database.em(), ended), null);
});

const quotaOf = async (host: string) =>
  (await query<{ used: number }>('select used from upstream_quota where host = $1', [host]))[0];

test.serial('imports at once never reserve more than 60 requests an hour and host', async (t) => {
  const host = 'many.example';
  const reserve = () => reserveRequests(database.em(), host);
  const reserved = await Promise.all(Array.from({ length: 25 }, reserve));
  t.is(reserved.filter(({ isReserved }) => isReserved).length, 20);
  t.deepEqual(await quotaOf(host), { used: 60 });
  const [{ resetsAt }] = reserved as [(typeof reserved)[number]];
  t.true(reserved.every((each) => each.resetsAt.getTime() === resetsAt.getTime()));
  await query(`update upstream_quota set resets_at = now() where host = $1`, [host]);
  t.true((await reserve()).isReserved);
  t.deepEqual(await quotaOf(host), { used: 3 });
});

test.serial(
  'unused requests return, unless the window is over; what the host says wins',
  async (t) => {
    const host = 'one.example';
    const { resetsAt } = await reserveRequests(database.em(), host);
    const settlement = { host, resetsAt, requests: 2, limit: null };
    await settleRequests(database.em(), settlement);
    t.deepEqual(await quotaOf(host), { used: 2 });
    await settleRequests(database.em(), { ...settlement, resetsAt: new Date(0), requests: 0 });
    t.deepEqual(await quotaOf(host), { used: 2 });
    const later = new Date(resetsAt.getTime() + 60_000);
    const limit = { remaining: 1, resetsAt: later };
    await settleRequests(database.em(), { ...settlement, limit });
    t.deepEqual(await quotaOf(host), { used: 59 });
    t.deepEqual(await reserveRequests(database.em(), host), { isReserved: false, resetsAt: later });
    await settleRequests(database.em(), { ...settlement, limit: { ...limit, remaining: 399 } });
    t.deepEqual(await quotaOf(host), { used: 0 });
  },
);

const release = (version: string, notes: string | null = null) => ({
  version,
  publishedAt: null,
  notes,
});

test.serial('what was chosen is taken, and nothing else', async (t) => {
  const texts = { name: 'Paper', tagline: 'Files paper.', tags: ['paper'] };
  const groups = [
    {
      prefix: '',
      releases: ['7', '6', '5', '4', '3', '2'].map((n) => release(`${n}.0.0`, '**New**')),
    },
    { prefix: 'cli-', releases: [release('0.1.0')] },
  ];
  const { productId, importId, apply } = await find({ texts, groups });
  t.deepEqual(await apply({}), { refused: 'nothing_chosen' });
  t.deepEqual(await apply({ fields: ['description'], icon: true }), { refused: 'nothing_chosen' });
  t.deepEqual(await apply({ fields: ['name', 'tags'], prefix: '' }), { isFetching: false });
  const found = { name: 'Paper', tagline: '', tags: ['paper'], version: 1 };
  t.like(await loadListing(database.em(), productId), found);
  const releases = await listReleases(database.em(), { productId });
  t.deepEqual(
    releases.map(({ version }) => version),
    ['7.0.0', '6.0.0', '5.0.0', '4.0.0', '3.0.0'],
  );
  t.is(releases[0]!.notesHtml, '<p><strong>New</strong></p>\n');
  t.like(await findImport(database.em(), importId), { state: 'applied', pictures: [] });
  const audited = await query(`select detail from audit where action = 'import.applied'`);
  t.like(audited, [{ detail: { fields: ['name', 'tags'], pictures: 0 } }]);
});

test.serial(
  'an import replaces the releases of an earlier one, and none written by hand',
  async (t) => {
    const groups = [{ prefix: '', releases: [release('2.0.0'), release('1.0.0')] }];
    const { productId, apply } = await find({ groups });
    await query(
      `insert into release (id, product_id, version, source) values
     (gen_random_uuid(), $1, '0.9.0', 'import'), (gen_random_uuid(), $1, '1.0.0', 'hand')`,
      [productId],
    );
    t.deepEqual(await apply({ prefix: '' }), { isFetching: false });
    const releases = await listReleases(database.em(), { productId });
    t.deepEqual(releases.map(({ version, source }) => [version, source]).toSorted(), [
      ['1.0.0', 'hand'],
      ['2.0.0', 'import'],
    ]);
  },
);

test.serial('of two people who save at once, one takes it over', async (t) => {
  const { apply } = await find({ texts: { name: 'Paper' } });
  const both = await Promise.all([apply({ fields: ['name'] }), apply({ fields: ['name'] })]);
  t.deepEqual(
    both.filter((each) => 'refused' in each),
    [{ refused: 'not_ready' }],
  );
});

test.serial(
  'a listing that somebody else saved meanwhile stays, and so does the import',
  async (t) => {
    const { productId, importId, apply } = await find({ texts: { name: 'Paper' } });
    await query('insert into listing (product_id) values ($1)', [productId]);
    t.deepEqual(await apply({ fields: ['name'] }), { refused: 'stale' });
    t.like(await findImport(database.em(), importId), { state: 'ready' });
    t.deepEqual(await apply({ fields: ['name'] }, 1), { isFetching: false });
  },
);

test.serial('who lost the role takes nothing over, and a removed product neither', async (t) => {
  const { productId, apply } = await find({ texts: { name: 'Paper' } });
  const owner = await someone();
  await query('update product set owner_person_id = $2 where id = $1', [productId, owner]);
  t.deepEqual(await apply({ fields: ['name'] }), { refused: 'not_found' });
  const removed = await find({ texts: { name: 'Paper' } });
  await query(`update product set state = 'removed' where id = $1`, [removed.productId]);
  t.deepEqual(await removed.apply({ fields: ['name'] }), { refused: 'removed' });
});

test.serial(
  'a picture that was fetched twice is added once, and the last one ends the import',
  async (t) => {
    const addresses = ['https://paper.example/one.png', 'https://paper.example/two.png'];
    const { productId, importId, apply } = await find({ screenshots: addresses });
    t.deepEqual(await apply({ screenshots: true }), { isFetching: true });
    const upload = (bytes: Buffer) => ({
      address: addresses[0]!,
      bytes,
      made: WIDTHS.map(() => PIXEL),
    });
    const record = (place: number, bytes: Buffer) =>
      recordPicture(database.em(), {
        importId,
        place,
        fetched: { failed: [], upload: upload(bytes) },
      });
    // The page may have served other bytes the second time.
    const twice = await Promise.all([record(0, Buffer.from('a')), record(0, Buffer.from('b'))]);
    t.is(twice.filter(({ recorded }) => recorded).length, 1);
    t.is((await loadPictures(database.em(), productId)).screenshots.length, 1);
    t.like(await findImport(database.em(), importId), { state: 'applying' });
    const failed = [{ address: addresses[1]!, problem: 'timed_out' as const }];
    await recordPicture(database.em(), { importId, place: 1, fetched: { failed, upload: null } });
    t.like(await findImport(database.em(), importId), {
      state: 'applied',
      pictures: [
        { outcome: 'added', failed: [] },
        { outcome: 'failed', failed },
      ],
    });
  },
);
