import test from 'ava';
import { listPeriods } from '../../../../domain/pool/period/period-calendar.ts';

const list = (since: string, today: string) =>
  listPeriods({ currency: 'EUR', since: new Date(since), today: new Date(today) });
const idsOf = (since: string, today: string) => list(since, today).map(({ id }) => id);

test('a period is frozen 72 hours after the end of its month in UTC', (t) => {
  t.deepEqual(list('2026-11-30T23:59:59.999Z', '2026-11-30T23:59:59.999Z'), [
    {
      id: '2026-11:EUR',
      month: '2026-11-01',
      currency: 'EUR',
      freezeDueAt: new Date('2026-12-04T00:00:00.000Z'),
    },
  ]);
  t.deepEqual(
    list('2028-02-10T00:00:00Z', '2028-02-10T00:00:00Z')[0]!.freezeDueAt,
    new Date('2028-03-04T00:00:00.000Z'),
  );
});

test('every month from the first charge to today, over the turn of a year', (t) => {
  const months = ['2025-11', '2025-12', '2026-01', '2026-02'];
  const ids = months.map((month) => `${month}:EUR`);
  t.deepEqual(idsOf('2025-11-30T23:59:59.999Z', '2026-02-01T00:00:00Z'), ids);
  t.deepEqual(idsOf('2025-12-01T00:00:00Z', '2026-02-28T23:59:59Z'), ids.slice(1));
});

test('months more than 24 back are no longer opened', (t) => {
  const ids = idsOf('2019-01-01T00:00:00Z', '2026-11-26T00:00:00Z');
  t.is(ids.length, 25);
  t.is(ids[0], '2024-11:EUR');
  t.is(ids.at(-1), '2026-11:EUR');
});
