import { addMonths, monthOf } from '../../shared/instant.ts';
import { periodIdOf, readPeriodId, spanOf } from '../period/pool-month.ts';
import { freezeDueOf, MONTHS_KEPT } from '../period/period-calendar.ts';
import { monthsOf, type MemberCharge } from '../split/net-fee.ts';

/** A month that a Member has paid for. */
export type FeeMonth = {
  /** `2026-11`. */
  month: string;
  currency: string;
  /** Empty: all of the fees of the month had gone back before it was frozen. */
  state: 'on_its_way' | 'known' | 'empty' | 'erased';
  /** The instant at which the month is frozen. */
  dueAt: Date;
};

type Charge = Pick<MemberCharge, 'interval' | 'succeededAt'> & { currency: string };

type Period = {
  month: string;
  currency: string;
  status: string;
  hasKey: boolean;
  freezeDueAt: Date;
};

/** The months up to now that the charges belong to, the newest first. */
export function listMonthsPaid(
  charges: readonly Charge[],
  { periods, at }: { periods: readonly Period[]; at: Date },
): FeeMonth[] {
  const last = monthOf(at);
  const first = monthOf(addMonths(at, -MONTHS_KEPT));
  const ids = charges.flatMap(({ currency, ...charge }) =>
    monthsOf(charge)
      .filter((month) => month >= first && month <= last)
      .map((month) => periodIdOf({ month, currency })),
  );
  const byId = new Map(periods.map((period) => [periodIdOf(period), period]));
  return [...new Set(ids)]
    .toSorted()
    .toReversed()
    .map((id) => {
      const { month, currency } = readPeriodId(id);
      const period = byId.get(id);
      return {
        month,
        currency,
        state: period ? stateOf(period) : 'on_its_way',
        dueAt: period?.freezeDueAt ?? freezeDueOf(spanOf(month).from),
      };
    });
}

function stateOf({ status, hasKey }: Period): FeeMonth['state'] {
  if (status === 'open') return 'on_its_way';
  if (status === 'empty') return 'empty';
  return hasKey ? 'known' : 'erased';
}
