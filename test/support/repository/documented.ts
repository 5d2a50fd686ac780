// Programs as they stand in our documentation, taken out and run.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readHostEnvironment } from '../../../platform/config.ts';
import { readBlocks } from './documents.ts';
import { eventually } from '../eventually.ts';

const DOCUMENT = 'docs/webhooks.md';

export type Language = {
  language: string;
  file: string;
  /** What shows that this machine can run it. */
  probe: readonly [string, ...string[]];
  build?: readonly [string, ...string[]];
  run: (port: string) => readonly [string, ...string[]];
};

export function isOnThisMachine({ probe: [command, ...given] }: Pick<Language, 'probe'>): boolean {
  return spawnSync(command, given, { stdio: 'ignore' }).status === 0;
}

/** A port that was free a moment ago. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Runs the program of a language with a secret, in a folder of its own. */
export async function startProgram(
  program: Language,
  { port, secret }: { port: number; secret: string },
) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-docs-'));
  writeFileSync(join(folder, program.file), readBlocks(DOCUMENT, program.language)[0]!);
  if (program.build) {
    const [command, ...given] = program.build;
    execFileSync(command, given, { cwd: folder, stdio: 'pipe' });
  }
  const [command, ...given] = program.run(String(port));
  const env = {
    ...readHostEnvironment(),
    PORT: String(port),
    WEBHOOK_SECRET: secret,
    TMPDIR: folder,
  };
  const child = spawn(command, given, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  }
  const ended = new Promise((resolve) => child.once('close', resolve));
  await eventually(
    () => answers(port),
    (does) => does || child.exitCode !== null,
  );
  return {
    said: () => said,
    /** How often the work of an event was done. */
    handled: (id: string) => said.split(`handled ${id} `).length - 1,
    async stop() {
      child.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (does: boolean) => {
      socket.destroy();
      resolve(does);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}
