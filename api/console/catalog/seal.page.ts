import { html, type HtmlSafeString } from '@prairielearn/html';
import { CRITERIA, type Criterion } from '../../../domain/seal/criteria.ts';
import type { Appeal } from '../../../domain/seal/appeal.repository.ts';
import type { ReviewLine } from '../../../domain/seal/review.repository.ts';
import type { StoredSeal } from '../../../domain/seal/seal.repository.ts';
import { isShown, mayAppeal, mayNotAppealYet } from '../../../domain/seal/seal-state.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { View } from '../../http/route.ts';
import { copyable } from '../../html/copy.ts';
import { form, formFields, type Draft } from '../../html/form.ts';
import { day, instant } from '../../html/layout.ts';
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
    content: html`
      <p>${HOW_IT_WORKS} <a href="${SEAL_GUIDE}">More about the seal</a></p>
      ${
        isReviewed
          ? sections(props)
          : html`<p class="notice">This product is sold elsewhere, so it has no seal.</p>`
      }
    `,
  };
}

function sections(props: Props): HtmlSafeString {
  return html`${status(props)} ${criteria(props)} ${badge(props)} ${appeals(props)}
  ${history(props)}`;
}

function status({ product, seal, nextReviewAt }: Props): HtmlSafeString {
  const state = seal?.state ?? 'none';
  const next =
    product.state === 'listed'
      ? html`The next review is on ${instant(nextReviewAt)}.`
      : 'Only listed products are reviewed.';
  return html`<article data-seal-state="${state}">
    <p><strong>${STATE_WORDS[state]}</strong>${seal === null ? '' : sentence(seal)}</p>
    <p class="muted">${next}</p>
  </article>`;
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

/** Shows the target alone before the first review of a criterion. */
function criteria({ reviews: [latest] }: Props): HtmlSafeString {
  const found = new Map(latest?.criteria.map((each) => [each.name, each]));
  return html`<section>
    <h2>Criteria</h2>
    <p>
      ${
        latest
          ? html`As of the review of ${latest.week}.`
          : 'The first review has not been made yet. These are its targets.'
      }
    </p>
    ${table({
      label: 'Criteria',
      rows: [...CRITERIA],
      empty: '',
      columns: {
        Criterion: (name) => CRITERION_WORDS[name].name,
        Value: (name) => orNone(found.get(name), describeValue),
        Target: (name) => CRITERION_WORDS[name].target,
        Result: (name) => orNone(found.get(name), result),
        Missing: (name) => orNone(found.get(name), describeMissing),
      },
    })}
  </section>`;
}

function orNone(
  criterion: Criterion | undefined,
  show: (criterion: Criterion) => HtmlSafeString | string,
): HtmlSafeString | string {
  return criterion ? show(criterion) : '-';
}

function result({ name, result: given }: Criterion): HtmlSafeString {
  return html`<span data-criterion="${name}" data-result="${given}">${RESULT_WORDS[given]}</span>`;
}

function badge({ product, seal, baseUrl }: Props): HtmlSafeString | '' {
  if (!seal || !isShown(seal.state)) return '';
  const { width, height } = SEALED_BADGE_SIZE;
  const path = `/p/${product.slug}`;
  // Without a width, because the badge without the seal is narrower.
  const picture = `<img src="${baseUrl}${path}/badge?seal=1" alt="Listed on Gatehouse" height="${height}">`;
  const text = `<a href="${baseUrl}${path}">${picture}</a>`;
  return html`<section>
    <h2>Badge with the seal</h2>
    <p>
      <img
        src="${path}/badge?seal=1"
        alt="The badge of ${product.name} with the seal"
        width="${width}"
        height="${height}"
      />
    </p>
    ${copyable({ id: 'badge-html', label: 'HTML of the badge', text })}
  </section>`;
}

function history({ reviews }: Props): HtmlSafeString {
  return html`<section>
    <h2>History</h2>
    ${table({
      label: 'Reviews',
      rows: reviews,
      empty: 'No reviews yet.',
      columns: {
        'Week of': ({ week }) => html`<time datetime="${week}">${week}</time>`,
        Review: ({ isPassed }) =>
          html`<span data-review="${isPassed ? 'passed' : 'failed'}"
            >${isPassed ? 'Passed' : 'Failed'}</span
          >`,
        'Not met': unmet,
        Seal: ({ state }) => STATE_WORDS[state],
      },
    })}
  </section>`;
}

function unmet({ criteria: all }: ReviewLine): string {
  const names = all
    .filter(({ result: given }) => given === 'failed')
    .map(({ name }) => CRITERION_WORDS[name].name);
  return names.length === 0 ? '-' : names.join('; ');
}

function appeals(props: Props): HtmlSafeString | '' {
  const { seal, appeal, product } = props;
  const mayAsk = product.state === 'listed' && seal !== null && mayAppeal(seal);
  if (appeal === null && !mayAsk) return '';
  return html`<section>
    <h2>Appeal</h2>
    ${appeal === null ? '' : answerOf(appeal)} ${mayAsk ? nextAppeal(props) : ''}
  </section>`;
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
  return html`<article data-appeal="${outcome ?? 'open'}">
    <p class="typed">${text}</p>
    <p class="muted">
      Sent ${instant(createdAt)}.
      ${outcome === null ? 'An operator will read it.' : html`${OUTCOMES[outcome]} ${instant(answeredAt!)}`}
    </p>
  </article>`;
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
