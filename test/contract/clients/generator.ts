import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Work = {
  /** An empty folder, for this client alone. */
  folder: string;
  documentUrl: string;
  /** Runs a program there to its end; it throws with what the program said where that fails. */
  run(program: string, args: string[], options?: RunOptions): Promise<unknown>;
};
type RunOptions = { cwd?: string; env?: Record<string, string> };

export type Generator = {
  name: string;
  /** Without this program the generator is skipped. */
  needs: { language: string; probe: readonly [string, ...string[]] };
  /** Makes a client and compiles it with a small program, and says how that program is run. */
  build(work: Work): Promise<readonly [string, ...string[]]>;
};

export function copyProgram(name: string, target: string): void {
  copyFileSync(fileURLToPath(new URL(join('programs', name), import.meta.url)), target);
}
