import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { format } from 'node:util';
import { readHostEnvironment } from '../../../platform/config.ts';
import type { CommandContext } from '../../../scripts/command.ts';
import { ROOT } from '../repository/imports.ts';

type Command = (args: string[], context: CommandContext) => Promise<number>;

type Given = { args: string[]; settings: Record<string, string> };

/** What a command says, with these settings and no others of ours. */
export async function askCommand(run: Command, { args, settings }: Given) {
  const said = { out: '', err: '' };
  const terminal = {
    log: (...words: unknown[]) => void (said.out += `${format(...words)}\n`),
    error: (...words: unknown[]) => void (said.err += `${format(...words)}\n`),
  };
  const environment = { ...readHostEnvironment(), ...settings };
  const exitCode = await run(args, { environment, terminal });
  return { exitCode, ...said };
}

/** The same by a process of its own, which costs half a second of a core. */
export async function runCommand(main: string, { args, settings }: Given) {
  const running = spawn(process.execPath, [join(ROOT, main), ...args], {
    env: { ...readHostEnvironment(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  running.stdout.on('data', (chunk) => (said.out += String(chunk)));
  running.stderr.on('data', (chunk) => (said.err += String(chunk)));
  const [exitCode] = (await once(running, 'close')) as [number | null];
  return { exitCode, ...said };
}
