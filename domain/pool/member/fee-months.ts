import { addMonths, monthOf } from '../../billing/ledger/statement.ts';
import { DAY_MS } from '../../shared/instant.ts';
import { monthsOf, type MemberCharge } from '../split/net-fee.ts';

/** After that the keys are erased: nobody can tell what a Member's fee did. */
export const MONTHS_KEPT = 24;

const FREEZE_DELAY_MS = 3 * DAY_MS;

/** The months of a charge do not depend on its amount. */
const NO_MONEY = { grossMinor: 0, processorFeeMinor: null, returnedMinor: 0 };

/** A month that a Member has paid for. */
export type FeeMonth = {
  /** `2026-11`. */
  month: string;
  currency: string;
  /** Empty: all of the fees of the month had gone back before it was frozen. */
  state: 'on_its_way' | 'known' | 'empty' | 'erased';
  /** When the month is frozen. */
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
  const names = charges.flatMap(({ currency, ...charge }) =>
    monthsOf({ ...NO_MONEY, ...charge })
      .filter((month) => month >= first && month <= last)
      .map((month) => `${month}:${currency}`),
  );
  const byName = new Map(periods.map((period) => [`${period.month}:${period.currency}`, period]));
  return [...new Set(names)]
    .toSorted()
    .toReversed()
    .map((name) => {
      const [month, currency] = name.split(':') as [string, string];
      const period = byName.get(name);
      return {
        month,
        currency,
        state: period ? stateOf(period) : 'on_its_way',
        dueAt: period?.freezeDueAt ?? freezeDueOf(month),
      };
    });
}

function stateOf({ status, hasKey }: Period): FeeMonth['state'] {
  if (status === 'open') return 'on_its_way';
  if (status === 'empty') return 'empty';
  return hasKey ? 'known' : 'erased';
}

function freezeDueOf(month: string): Date {
  const start = new Date(`${month}-01T00:00:00Z`);
  return new Date(addMonths(start, 1).getTime() + FREEZE_DELAY_MS);
}
