import { once } from 'node:events';
import { join } from 'node:path';
import { COMPILE_CACHE } from '../../../scripts/compile-cache.ts';
import type { Child, Children } from '../../../dev/process/children.ts';
import { StartFailure } from '../../../dev/process/run.ts';
import { readHostEnvironment } from '../../../platform/config.ts';

export type Starting = { children: Children; signal: AbortSignal };

export type Server = {
  origin: string;
  pid: number;
  /** Asks over the process's channel. */
  ask<HttpResponse>(question: string | object): Promise<HttpResponse>;
  stop(): Promise<void>;
};

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** One of our processes, with a channel to it. */
export function startProcess(
  { children }: Starting,
  given: { name: string; main: string; env?: Record<string, string>; nodeArgs?: string[] },
): Child {
  return children.start({
    name: given.name,
    command: process.execPath,
    args: [...(given.nodeArgs ?? []), join(ROOT, given.main)],
    env: { ...(given.env ?? readHostEnvironment()), ...COMPILE_CACHE },
    cwd: ROOT,
    isService: true,
  });
}

/** The next message of a process; its end instead is a fault. */
export async function hear<Message>(child: Child, { signal }: Starting): Promise<Message> {
  const received = once(child.process, 'message', { signal });
  const how = await Promise.race([received, child.ended]);
  if (Array.isArray(how)) return how[0] as Message;
  received.catch(() => undefined);
  throw new StartFailure(`The ${child.name} process ended (${how}):\n${child.lastLines()}`);
}

/** Takes the next message of the process as the answer: one question at a time. */
export async function ask<HttpResponse>(
  child: Child,
  { starting, question }: { starting: Starting; question: string | object },
): Promise<HttpResponse> {
  const received = hear<HttpResponse>(child, starting);
  child.process.send(question);
  return received;
}

export function describe(
  child: Child,
  { starting, origin = '' }: { starting: Starting; origin?: string },
): Server {
  return {
    origin,
    pid: child.process.pid!,
    ask: (question) => ask(child, { starting, question }),
    stop: () => child.stop(),
  };
}
