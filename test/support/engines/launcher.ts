import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readHostEnvironment } from '../../../platform/config.ts';
import { isStillRunning, readRecords } from '../../../dev/process/running.ts';

export type Launcher = {
  pid: number;
  output(): string;
  /** Settles when a line matches, or fails with all output when it ends before. */
  waitFor(pattern: RegExp): Promise<void>;
  /** The address in the printed table. */
  address(name: string): string;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<number | null>;
};

const START = fileURLToPath(new URL('../../../dev/start.ts', import.meta.url));
const ANY_PORTS = {
  PORT: '0',
  PG_PORT: '0',
  TEMPORAL_PORT: '0',
  TEMPORAL_UI_PORT: '0',
  MAIL_PORT: '0',
  MAILBOX_PORT: '0',
  SIMULATOR_PORT: '0',
  METRICS_PORT: '0',
};

/** `npm start` as a process of its own. */
export function launchStart(dataDir: string, settings: Record<string, string> = {}): Launcher {
  const running = spawn(process.execPath, [START], {
    env: { ...readHostEnvironment(), ...ANY_PORTS, GATEHOUSE_DATA_DIR: dataDir, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const hearings = new Set<() => void>();
  const hear = (line: string) => {
    lines.push(line);
    for (const check of hearings) check();
  };
  for (const stream of [running.stdout, running.stderr]) createInterface(stream).on('line', hear);
  const ended = once(running, 'close').then(([code]) => code as number | null);
  const output = () => lines.join('\n');
  return {
    pid: running.pid ?? 0,
    output,
    ended,
    kill: (signal) => void running.kill(signal),
    address: (name) => new RegExp(`^ *${name} +(\\S+)$`, 'm').exec(output())?.[1] ?? '',
    async waitFor(pattern) {
      const received = new Promise<boolean>((resolve) => {
        const check = () => pattern.test(output()) && resolve(true);
        hearings.add(check);
        check();
      });
      if (await Promise.race([received, ended.then(() => false)])) return;
      if (!pattern.test(output())) throw new Error(`It ended without ${pattern}:\n${output()}`);
    },
  };
}

/** What runs for a data folder now: a function that tells which of it still does, later. */
export function watchChildren(dataDir: string): { names: string[]; findAlive(): string[] } {
  const records = readRecords(dataDir);
  return {
    names: records.map(({ name }) => name).sort(),
    findAlive: () => records.filter(isStillRunning).map(({ name }) => name),
  };
}
