import { html, type HtmlSafeString } from '@prairielearn/html';
import { formatMoney } from '../../../domain/shared/money.ts';
import type { FeeMonth } from '../../../domain/pool/member/fee-months.ts';
import type {
  FeePart,
  FeeView,
  MemberFee,
} from '../../../domain/pool/member/member-fee.repository.ts';
import { MONTHS_KEPT } from '../../../domain/pool/period/period-calendar.ts';
import { writeMonth } from '../../../domain/shared/instant.ts';
import { appIcon } from '../../html/emblems.ts';
import { trail } from '../../html/parts/page-head.ts';
import { addUp, writeBasisPoints, writeCount as count } from '../../html/numbers.ts';
import { day } from '../../html/dates.ts';
import { card } from '../../html/parts/card.ts';
import { note } from '../../html/parts/note.ts';
import { POOL_GUIDE } from '../../html/guide-links.ts';
import { emptyState } from '../../html/parts/empty-state.ts';
import { factList, type Fact } from '../../html/parts/facts.ts';
import { table } from '../../html/table.ts';
import type { View } from '../../http/route.ts';
import { MEMBER } from './member.page.ts';

export const MEMBER_FEES = '/library/fees';

type Props = {
  /** The month that is shown; null where none is known yet. */
  month: string | null;
  /** One for each currency. */
  fees: MemberFee[];
  months: FeeMonth[];
  now: Date;
};

export function memberFeesPage({ month, fees, months, now }: Props): View {
  const chosen = months.filter((each) => each.month === month);
  return {
    title: 'Where your fee went',
    area: 'account',
    section: 'library',
    content: html`<div class="receipt-wide">
      ${trail([{ path: '/library', label: 'Library' }, { label: 'Where your fee went' }])}
      <h1>Where your fee went</h1>
      <p>
        Each month, a part of what you pay for Member goes to the included products that you used,
        by the days on which you used them.
        <a href="${POOL_GUIDE}">How the creator pool works</a>
      </p>
      ${
        months.length === 0 && month === null
          ? emptyState({
              title: 'You have not paid for Member',
              sentence: 'A part of your fee goes to the makers of what you use.',
              link: { path: MEMBER, label: 'Look at Member' },
            })
          : html`${month === null ? '' : ofMonth(month, { chosen, fees, now })}
            ${otherMonths(months, { month, now })}`
      }
      <p class="hint">
        Months are in UTC. A month is frozen 72 hours after its end. Statements of products name no
        Member, and after ${MONTHS_KEPT} months the key that finds your part is erased.
      </p>
    </div>`,
  };
}

type Chosen = { chosen: FeeMonth[]; fees: MemberFee[]; now: Date };

function ofMonth(month: string, { chosen, fees, now }: Chosen): HtmlSafeString {
  return html`<h2>${writeMonth(month)}</h2>
    ${
      chosen.length === 0
        ? note({
            tone: 'plain',
            more: `Nothing is known of a fee of yours for ${writeMonth(month)}. Keys are erased after ${MONTHS_KEPT} months.`,
          })
        : chosen.map((each) => {
            const fee = fees.find(({ currency }) => currency === each.currency);
            return fee
              ? split(fee)
              : note({
                  tone: 'info',
                  icon: 'clock',
                  sentence: `${each.currency}.`,
                  more: describeState(each, now),
                });
          })
    }`;
}

function describeState({ state, dueAt }: FeeMonth, now: Date): HtmlSafeString | string {
  if (state === 'on_its_way') {
    return dueAt > now ? html`On its way: ${day(dueAt)}` : 'On its way: soon';
  }
  return state === 'erased'
    ? `The key that finds your part of this month was erased after ${MONTHS_KEPT} months.`
    : 'Nothing of your fee was left for this month: it was refunded.';
}

function split({ currency, month, poolShareBps, fee, corrections }: MemberFee): HtmlSafeString {
  const write = (amountMinor: number) => formatMoney(amountMinor, currency);
  return html`<section data-fee="${month}:${currency}">
    <h3>${currency}</h3>
    ${parts(fee, {
      label: `Where your fee of ${writeMonth(month)} in ${currency} went`,
      write,
      empty: `You used no included product in ${writeMonth(month)}.`,
    })}
    ${sums(fee, write)}
    <p class="hint">
      The net fee is what you paid, without refunds and what the payment processor took.
      ${writeBasisPoints(poolShareBps)} of it is for products.
    </p>
    ${corrections.map((correction) => changed(correction, { of: month, currency }))}
  </section>`;
}

type Write = (amountMinor: number) => string;

function parts(
  { products }: FeeView,
  { label, write, empty }: { label: string; write: Write; empty: string },
): HtmlSafeString {
  return table({
    label,
    empty,
    rows: products,
    columns: {
      Product: named,
      Days: { cell: ({ days }) => count(days), isNumber: true },
      Amount: { cell: ({ amountMinor }) => write(amountMinor), isNumber: true },
    },
  });
}

function named({ name, slug, iconHash }: FeePart): HtmlSafeString | string {
  if (slug === null) return name;
  return html`<a class="app" href="/p/${slug}">${appIcon({ slug, name, iconHash }, 24)}${name}</a>`;
}

function sums({ feesMinor, platformMinor, unattributedMinor, products }: FeeView, write: Write) {
  const lines: Fact[] = [
    ['Net fee', write(feesMinor)],
    ['To products', write(addUp(products, ({ amountMinor }) => amountMinor))],
    ["Platform's part", write(platformMinor)],
    [
      'Unattributed',
      html`${write(unattributedMinor)} <small>goes to no product; the platform keeps it</small>`,
    ],
  ];
  return card({ body: factList(lines) });
}

type Correction = MemberFee['corrections'][number];

function changed(
  correction: Correction,
  { of, currency }: { of: string; currency: string },
): HtmlSafeString {
  const write = (amountMinor: number) => formatMoney(amountMinor, currency);
  const statement = writeMonth(correction.statementMonth);
  return html`<h4>Changed in the statement of ${statement}</h4>
    <p>
      ${
        correction.feesMinor === 0
          ? 'Days that count were changed, so the amounts moved between products.'
          : 'Your net fee changed: a refund or a dispute returned money to you, or was reversed.'
      }
    </p>
    ${parts(correction, {
      label: `Changes of ${writeMonth(of)} in the statement of ${statement} in ${currency}`,
      write,
      empty: 'Nothing changed for products.',
    })}
    ${sums(correction, write)}`;
}

function otherMonths(
  months: readonly FeeMonth[],
  { month, now }: { month: string | null; now: Date },
): HtmlSafeString | '' {
  const others = [...Map.groupBy(months, (each) => each.month)].filter(([name]) => name !== month);
  if (others.length === 0) return '';
  return html`<h2>${month === null ? 'Months' : 'Other months'}</h2>
    <ul class="rows">
      ${others.map(
        ([name, found]) =>
          html`<li>
            <span><a href="${MEMBER_FEES}/${name}">${writeMonth(name)}</a></span>
            ${whenFor(found[0]!, now)}
          </li>`,
      )}
    </ul>`;
}

function whenFor(month: FeeMonth, now: Date): HtmlSafeString | '' {
  if (month.state !== 'on_its_way') return '';
  const when = month.dueAt > now ? html`on its way, ${day(month.dueAt)}` : 'on its way, soon';
  return html`<small>${when}</small>`;
}
