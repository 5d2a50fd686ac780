import { Registry } from 'prom-client';
import test from 'ava';
import { watchFailing } from '../../worker/failing-metric.ts';
import { WORKFLOW_TYPES } from '../../workflows/contracts.ts';
import { eventually } from '../support/eventually.ts';

const LINE = /^gatehouse_workflows_failing\{workflow_type="(\w+)"\} (\d+)$/gm;

function watch(
  list: Parameters<typeof watchFailing>[0],
  options?: Parameters<typeof watchFailing>[2],
) {
  const registry = new Registry();
  watchFailing(list, [registry], options);
  return async () => {
    const lines = (await registry.metrics()).matchAll(LINE);
    return Object.fromEntries([...lines].map(([, type, count]) => [type, Number(count)]));
  };
}

test('ten scrapers cost Temporal what one costs, and each reads every type', async (t) => {
  let asked = 0;
  const scrape = watch(() => {
    asked += 1;
    return Promise.resolve([{ workflowType: 'sendMail', workflows: 3 }]);
  });
  const expected = {
    ...Object.fromEntries(WORKFLOW_TYPES.map((type) => [type, 0])),
    sendMail: 3,
  };
  const seen = await Promise.all(Array.from({ length: 10 }, scrape));
  for (const each of seen) t.deepEqual(each, expected);
  t.deepEqual(await scrape(), expected);
  t.is(asked, 1);
});

test('an answer that is old is asked for again', async (t) => {
  let asked = 0;
  const scrape = watch(
    () => {
      asked += 1;
      return Promise.resolve([{ workflowType: 'sendMail', workflows: asked }]);
    },
    { keptMs: 1 },
  );
  t.is((await scrape())['sendMail'], 1);
  t.true((await eventually(scrape, (seen) => seen['sendMail']! > 1))['sendMail']! > 1);
});

test('a Temporal that hangs or refuses leaves the metric out, and stalls no scrape', async (t) => {
  let asked = 0;
  const hanging = watch(
    () => {
      asked += 1;
      return new Promise(() => undefined);
    },
    { deadlineMs: 20 },
  );
  t.deepEqual(await hanging(), {});
  t.deepEqual(await hanging(), {}, 'without another deadline');
  t.is(asked, 1);
  const refusing = watch(() => Promise.reject(new Error('away')));
  t.deepEqual(await refusing(), {});
});
