// Hands mutants to a court: a process that is replaced when it hangs, ends, or has grown.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readHostEnvironment } from '../../platform/config.ts';
import type { Answer, Case, Verdict } from './court.ts';

const COURT = fileURLToPath(new URL('court.ts', import.meta.url));
// Tests of unchanged code take two seconds at most, so this one waits for something that never comes.
const MOST_MS = 20_000;
const CASES_EACH = 40;

export type Judge = { judge(asked: Case): Promise<Verdict>; close(): void };

export function openJudge(bundleFile: string): Judge {
  let court: ChildProcess | undefined;
  let cases = 0;

  function close(): void {
    court?.kill('SIGKILL');
    court = undefined;
  }

  return {
    async judge(asked) {
      if (cases % CASES_EACH === 0) close();
      cases += 1;
      court ??= fork(COURT, [bundleFile], { env: readHostEnvironment(), stdio: 'ignore' });
      const ended = new AbortController();
      const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(MOST_MS)]);
      court.once('exit', () => ended.abort());
      court.send(asked);
      const said = once(court, 'message', { signal }) as Promise<[Answer]>;
      const [answer] = await said.catch(() => [null]);
      court.removeAllListeners('exit');
      if (answer && 'fault' in answer) throw new Error(answer.fault);
      if (answer) return answer.verdict;
      close();
      return { title: ended.signal.aborted ? 'its process ended' : 'nothing ended', test: '' };
    },
    close,
  };
}
