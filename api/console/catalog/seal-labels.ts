// The criteria of the quality seal in words, as the console and operators read them.
import {
  SEAL_DAYS,
  TARGETS,
  type Criterion,
  type CriterionName,
} from '../../../domain/seal/criteria.ts';
import { NOTICE_DAYS, type SealState } from '../../../domain/seal/seal-state.ts';
import { writeCount, writePercent, writePlural } from '../../html/numbers.ts';

type CriterionWords = {
  name: string;
  target: string;
  /** What a product that fails needs. */
  needs: (missing: number) => string;
};

const ENOUGH = `from ${TARGETS.fewestJudged} on`;

export const CRITERION_WORDS: Record<CriterionName, CriterionWords> = {
  people: {
    name: 'People with a qualified day',
    target: `At least ${TARGETS.people}`,
    needs: (missing) => writePlural(missing, 'more person', 'more people'),
  },
  returning_people: {
    name: 'People who came back in another week',
    target: `At least ${TARGETS.returningPercent} %, with 95 % confidence`,
    needs: (missing) => `${writePlural(missing, 'more of them', 'more of them')} to come back`,
  },
  refunds: {
    name: 'Refunded charges',
    target: `Not above ${TARGETS.refundPercent} %, with 95 % confidence`,
    needs: (missing) => `${writePlural(missing, 'refund')} fewer`,
  },
  chargebacks: {
    name: 'Lost chargebacks',
    target: `At most ${TARGETS.chargebacksPerThousand / 10} % of charges, or one`,
    needs: (missing) => `${writePlural(missing, 'chargeback')} fewer`,
  },
  largest_person: {
    name: 'Days of the most active person',
    target: `At most ${TARGETS.personPercent} % of all qualified days`,
    needs: (missing) => `${writePlural(missing, 'qualified day')} of other people`,
  },
  five_people: {
    name: 'Days of the five most active people',
    target: `At most ${TARGETS.fivePeoplePercent} % of all qualified days`,
    needs: (missing) => `${writePlural(missing, 'qualified day')} of other people`,
  },
  listed_days: {
    name: 'Days since the product was first listed',
    target: `At least ${TARGETS.listedDays}`,
    needs: (missing) => writePlural(missing, 'more day'),
  },
  webhooks: {
    name: 'Webhooks accepted at the first attempt',
    target: `At least ${TARGETS.integrationPercent} % with 2xx within 10 seconds, ${ENOUGH}`,
    needs: (missing) => `${writePlural(missing, 'more', 'more')} accepted at once`,
  },
  sign_ins: {
    name: 'Sign-ins that end in a token',
    target: `At least ${TARGETS.integrationPercent} % of callbacks, ${ENOUGH}`,
    needs: (missing) => `${writePlural(missing, 'more code')} exchanged`,
  },
};

/** `15 of 25 (60.0 %)`, or the number alone. */
export function describeValue({ count, of }: Pick<Criterion, 'count' | 'of'>): string {
  if (of === null) return writeCount(count);
  const share = of === 0 ? '' : ` (${writePercent(count, of)})`;
  return `${writeCount(count)} of ${writeCount(of)}${share}`;
}

export const RESULT_WORDS = {
  passed: 'Met',
  failed: 'Not met',
  not_judged: 'Not judged',
} as const satisfies Record<Criterion['result'], string>;

export function describeMissing({ name, result, missing, of }: Criterion): string {
  if (result !== 'failed') return '–';
  if (missing === null) return `More people: of ${of ?? 0} no number is enough`;
  return CRITERION_WORDS[name].needs(missing);
}

export const STATE_WORDS: Record<SealState, string> = {
  none: 'No seal',
  first_pass: 'Passed once',
  held: 'Held',
  noticed: 'Held, notice given',
  lost: 'Lost',
};

export const HOW_IT_WORKS = `Each Monday at 04:00 UTC we review the ${SEAL_DAYS} days before. Two passed reviews in a row earn the seal. After two failed reviews in a row we give ${NOTICE_DAYS} days' notice, and one passed review ends the notice. A product that is unlisted or removed loses the seal at once.`;
