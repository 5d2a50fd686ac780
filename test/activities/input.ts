import test from 'ava';
import { ApplicationFailure } from '@temporalio/common';
import { withInputs } from '../../activities/input.ts';

const UUID = '0199b0a4-6f6e-7c3e-8f9f-2f4c5a6b7c8d';

const { read, readAll } = withInputs({
  read: (input: object | null | undefined) => Promise.resolve(input),
  readAll: () => Promise.resolve('all'),
});

test('an input that can name no row fails an activity once, for good', async (t) => {
  const unusable = [
    undefined,
    null,
    {},
    { membershipId: 5 },
    { recoveryId: 'nope' },
    { productId: UUID, personId: '' },
    { periodId: '2026-11:EUR', operator: 'ada\0' },
  ];
  for (const input of unusable) {
    const failure = await t.throwsAsync<ApplicationFailure>(read(input));
    t.true(failure instanceof ApplicationFailure && failure.nonRetryable);
  }
});

test('an input that may name a row reaches its activity, which says whether there is one', async (t) => {
  const usable = [
    { recoveryId: UUID },
    { deliveryId: 'evt_1', run: 1, step: 0 },
    { cohort: 'deliveries:e:1', deliveryId: null },
  ];
  for (const input of usable) t.is(await read(input), input);
  t.is(await readAll(), 'all');
});
