import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readCommand } from '../../scripts/replay/command-line.ts';
import { UsageError } from '../../scripts/command.ts';
import { runReplay } from '../../scripts/replay/run.ts';
import { grantAccess } from '../support/catalog/entitlements.ts';
import { askCommand, runCommand } from '../support/engines/command.ts';
import { makeFolder } from '../support/engines/folder.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';
import { ROOT } from '../support/repository/imports.ts';
import { HISTORIES } from '../support/workflows/histories.ts';

let stage: Stage;
let open: string[];

test.before(async () => {
  stage = await openStage({ taskQueues: ['access'] });
  stage.startPublisher();
  await stage.startWorkers();
  const stories = await Promise.all([60, 30, 10].map((days) => grantAccess(stage, { days })));
  await Promise.all(stories.map((story) => story.isWaiting(1)));
  await stories[2]!.passDays(10.01);
  await stories[2]!.result();
  open = stories.slice(0, 2).map(({ workflowId }) => workflowId);
});
test.after.always(() => stage?.close());

type Settings = Record<string, string>;

const settle = (args: string[], settings: Settings) => ({
  args,
  settings: { GATEHOUSE_DATA_DIR: '/nonexistent', ...settings },
});

/** What `npm run replay -- ...` says, with no settings of ours but these. */
async function replay(args: string[], settings: Settings = {}) {
  const said = await askCommand(runReplay, settle(args, settings));
  // On a slow machine the command says how far it is.
  const err = said.err.replaceAll(/^\.\.\. \d+ of \d+\n/gm, '');
  return { ...said, err, lines: said.out.trim().split('\n') };
}

/** The same by a process of its own. */
async function startReplay(args: string[], settings: Settings = {}) {
  const said = await runCommand('scripts/replay/main.ts', settle(args, settings));
  return { ...said, lines: said.out.trim().split('\n') };
}

const ours = () => ({ TASK_QUEUE_PREFIX: stage.prefix, TEMPORAL_ADDRESS: stage.address });

/** A history in which another activity was called than today's code calls. */
function writeMisfit(t: ExecutionContext): string {
  const recorded = readFileSync(join(HISTORIES, 'mail-sent.json'), 'utf8');
  const file = join(makeFolder(t), 'misfit.json');
  const other = recorded.replace(/("activityType": \{\s*"name": )"sendMail"/, '$1"postLetter"');
  writeFileSync(file, other);
  return file;
}

test('files are replayed without a server or a database', async (t) => {
  const files = ['mail-sent.json', 'purchase-cleared.json'].map((name) => join(HISTORIES, name));
  const { exitCode, lines, err } = await startReplay(files);
  t.is(exitCode, 0, err);
  t.deepEqual(lines, [
    `${files[0]}  sendMail  ok`,
    `${files[1]}  purchaseClearing  ok`,
    '2 replayed: 2 ok, 0 do not fit',
  ]);
});

test('a history that does not fit is named with what differs, and the command fails', async (t) => {
  const file = writeMisfit(t);
  const { exitCode, lines } = await startReplay([file, join(HISTORIES, 'mail-sent.json')]);
  t.is(exitCode, 1);
  t.true(lines[0]!.startsWith(`${file}  sendMail  `));
  t.regex(lines[0]!, /'postLetter'.*'sendMail'/);
  t.regex(lines[1]!, /ok$/);
  t.is(lines[2], '2 replayed: 1 ok, 1 do not fit');
});

test('--open replays all open runs of this installation, and no others', async (t) => {
  const { exitCode, lines, err } = await startReplay(['--open'], ours());
  t.is(exitCode, 0, err);
  t.deepEqual(
    lines.slice(0, -1).toSorted(),
    open.map((id) => `${id}  entitlementLifecycle  ok`).toSorted(),
  );
  t.is(lines.at(-1), '2 replayed: 2 ok, 0 do not fit');
});

test('--sample replays so many runs, open and closed ones', async (t) => {
  const all = await replay(['--sample', '1000'], ours());
  t.is(all.lines.at(-1), '3 replayed: 3 ok, 0 do not fit');
  const one = await replay(['--sample', '1'], ours());
  t.is(one.lines.length, 2);
});

test('a workflow is replayed by its id; --address comes before the settings', async (t) => {
  const nowhere = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
  const given = await replay([open[0]!, '--address', stage.address], nowhere);
  t.is(given.exitCode, 0, given.err);
  t.is(given.lines[0], `${open[0]}  entitlementLifecycle  ok`);
});

test('without settings it asks the server of the platform that npm start runs', async (t) => {
  const folder = makeFolder(t);
  writeFileSync(join(folder, 'demo.json'), JSON.stringify({ temporal_address: stage.address }));
  const { exitCode, err } = await replay([open[0]!], { GATEHOUSE_DATA_DIR: folder });
  t.is(exitCode, 0, err);
});

test('what is not there is told in words, with exit code 2', async (t) => {
  const cases: [string[], Record<string, string>, RegExp][] = [
    [['delivery:evt_none'], ours(), /^There is no file and no workflow "delivery:evt_none"/],
    [[join(ROOT, 'package.json')], {}, /package\.json holds no history/],
    [['--open'], {}, /^No Temporal server\. Use --address or TEMPORAL_ADDRESS, or run `npm start`/],
    [['--open', '--address', '127.0.0.1:1'], {}, /^No Temporal server responds at 127\.0\.0\.1:1/],
    [['--open', '--namespace', 'nowhere'], ours(), /^Temporal refuses: .*nowhere/],
    [['--open', '--sample', '3'], {}, /^Name runs or files, or use --open or --sample/],
  ];
  for (const [args, settings, expected] of cases) {
    const { exitCode, err } = await replay(args, settings);
    t.is(exitCode, 2, args.join(' '));
    t.regex(err, expected);
  }
});

test('its mistakes are refused, and help is an answer', async (t) => {
  for (const args of [['--sample', 'many'], ['--sample', '0'], ['--sampel'], ['x', '--open']]) {
    t.throws(() => readCommand(args), { instanceOf: UsageError });
  }
  t.is(readCommand([]).what, null);
  const { exitCode, out } = await replay(['--help']);
  t.is(exitCode, 0);
  t.regex(out, /^Usage: npm run replay/);
});
