// What a test file gets for AVA here: it collects the tests, which then run in this process, with
// AVA's own assertions. A process of AVA for each mutant would cost ten times what its tests cost.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../support/repository/imports.ts';

type Body = (t: object) => unknown;
type Reports = {
  pass(): void;
  fail(error: Error): Error;
  pending(assertion: Promise<unknown>): void;
  failPending(error: Error): Error;
};

const path = pathToFileURL(join(ROOT, 'node_modules/ava/lib/assert.js')).href;
const { Assertions } = (await import(path)) as { Assertions: new (reports: Reports) => object };

let collected: { title: string; body: Body }[] = [];
let hooks: Body[] = [];

export function test(title: string, body: Body): void {
  collected.push({ title, body });
}
test.before = (body: Body) => void hooks.push(body);

/** Imports a test file and runs its tests until one fails, which it names. */
export async function runTests(url: string): Promise<string | null> {
  collected = [];
  hooks = [];
  try {
    await import(url);
  } catch (error) {
    return `${url}: ${error}`;
  }
  const tests = collected;
  for (const { title, body } of [...hooks.map((body) => ({ title: 'before', body })), ...tests]) {
    const isHook = title === 'before';
    if (!(await passes(body, isHook ? 0 : 1))) return title;
  }
  return tests.length > 0 ? null : `${url} has no test`;
}

/** As in AVA a test passes when no assertion failed, and there was one. */
async function passes(body: Body, least: number): Promise<boolean> {
  let passed = 0;
  let isFailed = false;
  const fail = (error: Error) => {
    isFailed = true;
    return error;
  };
  const waiting: Promise<unknown>[] = [];
  const t = new Assertions({
    pass: () => void (passed += 1),
    fail,
    pending: (assertion) => void waiting.push(assertion),
    failPending: fail,
  });
  try {
    await body(t);
    await Promise.all(waiting);
  } catch {
    return false;
  }
  return !isFailed && passed + waiting.length >= least;
}
