import { once } from 'node:events';
import { join } from 'node:path';
import { COMPILE_CACHE } from '../../../scripts/compile-cache.ts';
import type { Child, Children } from '../../../dev/process/children.ts';
import { StartFailure } from '../../../dev/process/run.ts';
import { readHostEnvironment } from '../../../platform/config.ts';
import type { Order, Reply } from '../servers/parts/child-server.ts';

export type Starting = { children: Children; signal: AbortSignal };

export type Server = {
  origin: string;
  pid: number;
  /** Asks over the process's channel: one question at a time. */
  ask<Answer>(question: string | object): Promise<Answer>;
};

type ProcessSpec = {
  name: string;
  main: string;
  env?: Record<string, string>;
  nodeArgs?: string[];
};

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** One of our processes, with a channel to it. */
export function startProcess(
  { children }: Starting,
  { name, main, env = readHostEnvironment(), nodeArgs = [] }: ProcessSpec,
): Child {
  return children.start({
    name,
    command: process.execPath,
    args: [...nodeArgs, join(ROOT, main)],
    env: { ...env, ...COMPILE_CACHE },
    cwd: ROOT,
    isService: true,
  });
}

/** A process that has said that it is ready; `port` is where it listens unless it names another. */
export async function startServer(
  starting: Starting,
  { order, port = 0, ...spec }: ProcessSpec & { order?: Order; port?: number },
): Promise<Server> {
  const child = startProcess(starting, spec);
  if (order) child.process.send(order);
  const ready = await hear<'ready' | { port: number }>(child, starting);
  return {
    origin: `http://127.0.0.1:${ready === 'ready' ? port : ready.port}`,
    pid: child.process.pid!,
    async ask<Answer>(question: string | object) {
      const received = hear<Reply>(child, starting);
      child.process.send(question);
      const reply = await received;
      if ('fault' in reply) throw new Error(reply.fault);
      return reply.answer as Answer;
    },
  };
}

/** The next message of a process; its end instead is a fault. */
async function hear<Message>(child: Child, { signal }: Starting): Promise<Message> {
  const received = once(child.process, 'message', { signal });
  const how = await Promise.race([received, child.ended]);
  if (Array.isArray(how)) return how[0] as Message;
  received.catch(() => undefined);
  throw new StartFailure(`The ${child.name} process ended (${how}):\n${child.lastLines()}`);
}
