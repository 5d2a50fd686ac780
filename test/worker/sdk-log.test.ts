import { Runtime } from '@temporalio/worker';
import test from 'ava';
import { installRuntime } from '../../worker/workers.ts';
import { createLogger } from '../../platform/log.ts';
import { eventually } from '../support/eventually.ts';

type Line = { level: number; msg: string; sdk?: Record<string, unknown>; err?: object };

const lines: Line[] = [];
const output = { write: (line: string) => void lines.push(JSON.parse(line)) };
const WARN = 40;
const ERROR = 50;

installRuntime(createLogger({ name: 'test', format: 'json', level: 'info', output }), {
  bindAddress: '127.0.0.1:0',
});

test.after.always(() => Runtime.instance().shutdown());

const find = (text: string) =>
  eventually(
    () => lines.find(({ msg }) => msg === text),
    (line) => line !== undefined,
  );

test('what the SDK says keeps its level, its fault and its fields; its traces flood nothing', async (t) => {
  const { logger } = Runtime.instance();
  const row = Object.assign(new Error('Key (email)=(ada@example.com) exists'), {
    severity: 'ERROR',
  });
  logger.trace('Got workflow activation');
  logger.debug('Completed activation');
  logger.warn('Failing workflow task', { runId: 'r1', failure: 'Nondeterminism error' });
  logger.error('Activity failed', { activityType: 'sendMail', error: new Error('too slow') });
  logger.error('Activity failed with a row', { error: row });

  t.like(await find('Failing workflow task'), {
    level: WARN,
    sdk: { runId: 'r1', failure: 'Nondeterminism error' },
  });
  t.like(await find('Activity failed'), {
    level: ERROR,
    sdk: { activityType: 'sendMail' },
    err: { type: 'Error', message: 'too slow' },
  });
  t.is((await find('Activity failed with a row'))?.level, ERROR);
  t.notRegex(JSON.stringify(lines), /ada@example|Got workflow activation|Completed activation/);
});
