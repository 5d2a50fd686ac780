import test from 'ava';
import { beginFetch } from '../../domain/catalog/imports/fetch-import.command.ts';
import { applyImport } from '../../domain/catalog/imports/listing-import.command.ts';
import { loadPictures } from '../../domain/catalog/pictures/picture.repository.ts';
import {
  BUSY,
  ownerOf,
  REPOSITORY,
  REPOSITORY_REPLIES,
  serveReplies,
  startImport,
} from '../support/catalog/imports.ts';
import { eventually } from '../support/eventually.ts';
import { pictureFile } from '../support/http/picture-file.ts';
import type { BackgroundJob } from '../../worker/jobs/background-job.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

type Outside = Awaited<ReturnType<typeof serveReplies>>;

let outside: Outside;
let stage: Stage;
let publisher: BackgroundJob;

test.before(async () => {
  outside = await serveReplies();
  stage = await openStage({ taskQueues: ['upkeep'], forgeUrl: outside.url });
  stage.closeLater(outside.close);
  publisher = stage.startPublisher();
  await stage.startWorkers();
});
test.after.always(() => stage?.close());
test.beforeEach(async () => {
  for (const path of Object.keys(outside.replies)) delete outside.replies[path];
  outside.asked.length = 0;
  await stage.testDatabase.query('delete from upstream_quota');
});

const fromRepository = { kind: 'repository', address: REPOSITORY } as const;

const readQuota = async () =>
  (await stage.testDatabase.query<{ used: number }>('select used from upstream_quota'))[0]?.used;

const PAGE = `<title>Paper Trail</title>
  <meta name="description" content="Files the paper that comes by post.">
  <link rel="icon" type="image/svg+xml" href="/icon.svg">
  <link rel="icon" sizes="64x64" href="/gone.png">
  <link rel="icon" sizes="32x32" href="/icon.png">
  <meta property="og:image" content="/shot.png">
  <meta property="og:image" content="/broken.png">`;

test.serial(
  'a page is read, nothing changes until it is saved, and a picture that fails is named while the rest stands',
  async (t) => {
    const picture = Buffer.from(await (await pictureFile()).arrayBuffer());
    Object.assign(outside.replies, {
      '/': { html: PAGE },
      '/icon.png': { bytes: picture },
      '/shot.png': { bytes: picture },
      '/broken.png': { bytes: Buffer.from('no picture') },
    });
    const story = await startImport(stage, { address: `${outside.url}/` });
    t.is(await story.result(), 'ready');
    const { findings } = (await story.row())!;
    t.like(findings, {
      texts: { name: 'Paper Trail', tagline: 'Files the paper that comes by post.' },
      icons: [`${outside.url}/gone.png`, `${outside.url}/icon.png`],
      skippedIcons: [`${outside.url}/icon.svg`],
    });
    t.deepEqual(outside.asked, ['/'], 'no picture was fetched');
    const { productId, importId, personId } = story;
    const choice = { fields: ['name'] as const, icon: true, screenshots: true, prefix: null };
    const change = { importId, productId, by: ownerOf(personId), choice, version: 0 };
    t.deepEqual(await applyImport(stage.database.em(), change), { isFetching: true });
    const { pictures } = await story.reaches('applied');
    t.deepEqual(
      pictures!.map(({ kind, outcome, failed }) => [kind, outcome, failed]),
      [
        ['icon', 'added', [{ address: `${outside.url}/gone.png`, problem: 'not_found' }]],
        ['screenshot', 'added', []],
        ['screenshot', 'failed', [{ address: `${outside.url}/broken.png`, problem: 'no_picture' }]],
      ],
    );
    const shown = await loadPictures(stage.database.em(), productId);
    t.truthy(shown.icon);
    t.deepEqual(
      shown.screenshots.map(({ alt }) => alt),
      ['Screenshot from 127.0.0.1: shot.png'],
    );
    t.is(await story.result(), 'applied');
  },
);

test.serial('a page that visitors cannot read is refused', async (t) => {
  const story = await startImport(stage, { address: `${outside.url}/gone` });
  t.is(await story.result(), 'refused');
  t.like(await story.row(), { refusal: 'not_found', findings: null });
});

test.serial(
  'an import of a repository uses two requests, and gives the third one back',
  async (t) => {
    Object.assign(outside.replies, REPOSITORY_REPLIES);
    const story = await startImport(stage, fromRepository);
    t.is(await story.result(), 'ready');
    t.is(await readQuota(), 2);
    t.like(await story.row(), {
      findings: {
        texts: { tagline: 'Files paper.', tags: ['paper', 'scanner'], sourceUrl: REPOSITORY },
        groups: [{ prefix: '' }],
      },
    });
  },
);

test.serial('a forge that refuses is asked again when it said, by a durable timer', async (t) => {
  outside.replies['/repos/maker/paper'] = BUSY;
  const story = await startImport(stage, fromRepository);
  const { waitUntil, changedAt } = await story.reaches('waiting');
  t.is(Math.round((waitUntil!.getTime() - changedAt.getTime()) / 1_000), 600);
  await eventually(
    () => stage.client.workflow.getHandle(story.workflowId).query<string>('status'),
    (status) => status === 'waiting',
  );
  t.is(outside.asked.length, 1, 'it waits');
  Object.assign(outside.replies, REPOSITORY_REPLIES);
  await stage.testDatabase.advance(601_000);
  // The clock of the database went on; the timer of Temporal did not.
  await stage.client.workflow.getHandle(story.workflowId).signal('message');
  t.is(await story.result(), 'ready');
  t.is(outside.asked.length, 3);
});

test.serial(
  'without requests left an import waits for the next hour, and asks nobody',
  async (t) => {
    const { host } = new URL(outside.url);
    await stage.testDatabase.query(
      `insert into upstream_quota (host, used, resets_at)
     values ($1, 58, gatehouse_now() + interval '20 minutes')`,
      [host],
    );
    const story = await startImport(stage, fromRepository);
    const { waitUntil, changedAt } = await story.reaches('waiting');
    t.is(Math.round((waitUntil!.getTime() - changedAt.getTime()) / 60_000), 20);
    t.deepEqual(outside.asked, []);
    t.is(await readQuota(), 58);
  },
);

test.serial(
  'a worker that is lost while it fetches leaves one result, and its requests count',
  async (t) => {
    Object.assign(outside.replies, REPOSITORY_REPLIES);
    await publisher.stop();
    const story = await startImport(stage, fromRepository);
    const { host } = new URL(outside.url);
    // It had begun, and nobody knows how many requests it made.
    await beginFetch(stage.database.em(), { importId: story.importId, host });
    publisher = stage.startPublisher();
    t.is(await story.result(), 'ready');
    t.is(await readQuota(), 3 + 2);
  },
);

test.serial('an import ends with its product', async (t) => {
  outside.replies['/repos/maker/paper'] = BUSY;
  const story = await startImport(stage, fromRepository);
  await story.reaches('waiting');
  await stage.testDatabase.query(`update product set state = 'removed' where id = $1`, [
    story.productId,
  ]);
  await stage.client.workflow.getHandle(story.workflowId).signal('message');
  t.is(await story.result(), 'missing');
  t.is(await story.row(), null);
});
