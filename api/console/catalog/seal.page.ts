import { html, type HtmlSafeString } from '@prairielearn/html';
import { CRITERIA, type Criterion } from '../../../domain/seal/criteria.ts';
import type { Appeal } from '../../../domain/seal/appeal.repository.ts';
import type { ReviewLine } from '../../../domain/seal/review.repository.ts';
import type { StoredSeal } from '../../../domain/seal/seal.repository.ts';
import { isShown, mayAppeal, mayNotAppealYet } from '../../../domain/seal/seal-state.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { View } from '../../http/route.ts';
import { copyable } from '../../html/copy.ts';
import { day, instant, shortDay } from '../../html/dates.ts';
import { seal } from '../../html/emblems.ts';
import { icon } from '../../html/icon.ts';
import { card } from '../../html/parts/card.ts';
import { note } from '../../html/parts/note.ts';
import { pill } from '../../html/parts/pill.ts';
import { form, formFields, type Draft } from '../../html/form.ts';
import { blockNotice } from '../../html/notices.ts';
import { table } from '../../html/table.ts';
import { SEALED_BADGE_SIZE } from '../../html/badge-drawings.ts';
import { SEAL_GUIDE } from '../../html/seal-mark.ts';
import { productFrame, productPath } from '../console-frame.ts';
import {
  CRITERION_WORDS,
  describeMissing,
  describeValue,
  HOW_IT_WORKS,
  RESULT_WORDS,
  STATE_WORDS,
} from './seal-labels.ts';

export type AppealDraft = Draft<'text'>;

type Props = {
  product: ManagedProduct;
  seal: StoredSeal | null;
  appeal: Appeal | null;
  /** The newest first. */
  reviews: ReviewLine[];
  appealBlockReason: string | null;
  draft: AppealDraft | null;
  nextReviewAt: Date;
  baseUrl: string;
  formToken: string;
};

export function sealPage(props: Props): View {
  const { product } = props;
  const isReviewed = product.delivery === 'entitlement_api';
  return {
    title: `Quality seal of ${product.name}`,
    hasCopyButtons: true,
    ...productFrame(product, '/seal', 'Quality seal'),
    content: isReviewed
      ? sections(props)
      : note({ tone: 'plain', more: 'This product is sold elsewhere, so it has no seal.' }),
  };
}

function sections(props: Props): HtmlSafeString {
  return html`<div class="stack">
    ${status(props)} ${criteria(props)} ${appeals(props)} ${badge(props)}
    ${props.reviews.length === 0 ? '' : history(props)}
  </div>`;
}

function status({ product, seal: stored, nextReviewAt }: Props): HtmlSafeString {
  const state = stored?.state ?? 'none';
  const next =
    product.state === 'listed'
      ? html`The next review is on ${instant(nextReviewAt)}.`
      : 'Only listed products are reviewed.';
  const isHeld = isShown(state);
  return html`<div data-seal-state="${state}">
    ${card({
      body: html`<div class="seal-state">
        ${isHeld ? seal('large') : icon('badge-check', 20)}
        <div>
          <p><strong>${STATE_WORDS[state]}</strong>${stored === null ? '' : sentence(stored)}</p>
          <p class="muted">${next}</p>
        </div>
      </div>`,
      foot: html`<p>${HOW_IT_WORKS} <a href="${SEAL_GUIDE}">More about the seal</a></p>`,
    })}
  </div>`;
}

function sentence(seal: StoredSeal): HtmlSafeString | '' {
  const { state, heldSince, noticeEndsAt, lostAt, lossReason, failures, restoredFrom } = seal;
  if (state === 'lost') {
    return html` on ${day(lostAt!)}${LOSSES[lossReason!]}`;
  }
  if (state === 'noticed') {
    return html`. The product has held the seal since ${day(heldSince!)}, and loses it with the
    first failed review after ${instant(noticeEndsAt!)}. A passed review ends the notice, also after
    that time.`;
  }
  if (state === 'first_pass') return html`. If the next review passes too, the seal is earned.`;
  if (state !== 'held') return '';
  if (restoredFrom !== null) {
    return html` until the next review, by an operator's decision. That review decides.`;
  }
  const failed = failures > 0 ? ' The last review failed: another failure gives notice.' : '';
  return html` since ${day(heldSince!)}.${failed}`;
}

const LOSSES = {
  review: ', after the notice was over.',
  unlisted: ', because the product was unlisted.',
  removed: ', because the product was removed.',
} as const;

const RANK = { failed: 0, not_judged: 1, passed: 2 } as const;

/** Shows the targets alone before the first review; after it, what is not met stands first. */
function criteria({ reviews: [latest] }: Props): HtmlSafeString {
  const found = new Map(latest?.criteria.map((each) => [each.name, each]));
  const rankOf = (name: Criterion['name']) => RANK[found.get(name)?.result ?? 'passed'];
  const name = (each: Criterion['name']) => html`<strong>${CRITERION_WORDS[each].name}</strong>`;
  const target = (each: Criterion['name']) => CRITERION_WORDS[each].target;
  return card({
    title: 'Criteria',
    facts: latest
      ? html`<p>Review of the week of ${day(new Date(latest.week))}</p>`
      : 'Targets of the first review',
    rows: table({
      label: 'Criteria',
      rows: CRITERIA.toSorted((one, other) => rankOf(one) - rankOf(other)),
      empty: '',
      columns: latest
        ? {
            Criterion: (each) => html`${name(each)}<br /><small>${target(each)}</small>`,
            Result: { cell: (each) => orNone(found.get(each), result), onPhone: 'state' },
            Missing: (each) => orNone(found.get(each), describeMissing),
            Value: { cell: (each) => orNone(found.get(each), describeValue), isNumber: true },
          }
        : { Criterion: name, Target: target },
    }),
  });
}

function orNone(
  criterion: Criterion | undefined,
  show: (criterion: Criterion) => HtmlSafeString | string,
): HtmlSafeString | string {
  return criterion ? show(criterion) : '–';
}

const TONES = { passed: 'ok', failed: 'bad', not_judged: 'neutral' } as const;

function result({ name, result: given }: Criterion): HtmlSafeString {
  return html`<span data-criterion="${name}" data-result="${given}"
      >${pill({ word: RESULT_WORDS[given], tone: TONES[given] })}</span
    >
    ${given === 'not_judged' ? html`<br /><small>Counts as met</small>` : ''}`;
}

function badge({ product, seal: stored, baseUrl }: Props): HtmlSafeString | '' {
  if (!stored || !isShown(stored.state)) return '';
  const { width, height } = SEALED_BADGE_SIZE;
  const path = `/p/${product.slug}`;
  // Without a width, because the badge without the seal is narrower.
  const picture = `<img src="${baseUrl}${path}/badge?seal=1" alt="Listed on Gatehouse" height="${height}">`;
  const text = `<a href="${baseUrl}${path}">${picture}</a>`;
  return card({
    title: 'Badge with the seal',
    body: html`<p>
        <img
          src="${path}/badge?seal=1"
          alt="The badge of ${product.name} with the seal"
          width="${width}"
          height="${height}"
        />
      </p>
      ${copyable({ id: 'badge-html', label: 'HTML of the badge', text })}`,
  });
}

function history({ reviews }: Props): HtmlSafeString {
  return card({
    title: 'History',
    rows: table({
      label: 'Reviews',
      rows: reviews,
      empty: 'No reviews yet.',
      columns: {
        'Week of': ({ week }) => shortDay(new Date(week)),
        Review: { cell: reviewPill, onPhone: 'state' },
        'Not met': unmet,
        Seal: { cell: ({ state }) => STATE_WORDS[state], onPhone: 'drop' },
      },
    }),
  });
}

function reviewPill({ isPassed }: ReviewLine): HtmlSafeString {
  return html`<span data-review="${isPassed ? 'passed' : 'failed'}"
    >${isPassed ? pill({ word: 'Passed', tone: 'ok' }) : pill({ word: 'Failed', tone: 'bad' })}</span
  >`;
}

function unmet({ criteria: all }: ReviewLine): string {
  const names = all
    .filter(({ result: given }) => given === 'failed')
    .map(({ name }) => CRITERION_WORDS[name].name);
  return names.join('; ');
}

function appeals(props: Props): HtmlSafeString | '' {
  const { seal: stored, appeal, product } = props;
  const mayAsk = product.state === 'listed' && stored !== null && mayAppeal(stored);
  if (appeal === null && !mayAsk) return '';
  return card({
    title: 'Appeal',
    body: html`${appeal === null ? '' : answerOf(appeal)} ${mayAsk ? nextAppeal(props) : ''}`,
  });
}

function nextAppeal(props: Props): HtmlSafeString | '' {
  const { appeal, reviews } = props;
  if (appeal !== null && appeal.outcome === null) return '';
  return mayNotAppealYet(appeal, reviews[0]?.reviewedAt ?? null)
    ? html`<p>You can appeal again after the next review.</p>`
    : appealForm(props);
}

const OUTCOMES = {
  restored: 'An operator restored the seal until the next review.',
  declined: 'An operator declined this appeal.',
  closed: 'This appeal was closed, because the seal changed.',
} as const;

function answerOf({ text, createdAt, outcome, answeredAt }: Appeal): HtmlSafeString {
  return html`<div class="well" data-appeal="${outcome ?? 'open'}">
    <p class="typed">${text}</p>
    <p class="muted">
      Sent ${instant(createdAt)}.
      ${outcome === null ? 'An operator will read it.' : html`${OUTCOMES[outcome]} ${instant(answeredAt!)}`}
    </p>
  </div>`;
}

function appealForm({ product, draft, formToken: token, appealBlockReason }: Props) {
  if (appealBlockReason !== null) return blockNotice(appealBlockReason);
  const fields = formFields(draft);
  return html`<p>
      If the review is wrong about this product, tell an operator why. The operator can restore the
      seal until the next review.
    </p>
    ${form({
      action: `${productPath(product.slug)}/seal`,
      token,
      button: 'Send appeal',
      isMain: true,
      fields: [fields('text', { label: 'Your reasons', rows: 5 })],
    })}`;
}
