// The appeal of a product against its reviews, on the page of its seal.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { Appeal } from '../../../domain/seal/appeal.repository.ts';
import type { StoredSeal } from '../../../domain/seal/seal.repository.ts';
import { mayNotAppealYet, mayAppeal } from '../../../domain/seal/seal-state.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { form } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { blockNotice } from '../../html/notices.ts';
import { productPath } from '../console-frame.ts';

export type AppealDraft = { typed: string; problem: string | null };

export type AppealProps = {
  product: ManagedProduct;
  seal: StoredSeal | null;
  appeal: Appeal | null;
  /** The newest first. */
  reviews: readonly { reviewedAt: Date }[];
  appealBlockReason: string | null;
  draft: AppealDraft;
  formToken: string;
};

export function appeals(props: AppealProps): HtmlSafeString | '' {
  const { seal, appeal, product } = props;
  const mayAsk = product.state === 'listed' && seal !== null && mayAppeal(seal);
  if (appeal === null && !mayAsk) return '';
  return html`<section>
    <h3>Appeal</h3>
    ${appeal === null ? '' : answerOf(appeal)} ${mayAsk ? nextAppeal(props) : ''}
  </section>`;
}

function nextAppeal(props: AppealProps): HtmlSafeString | '' {
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

function appealForm({ product, draft, formToken: token, appealBlockReason }: AppealProps) {
  if (appealBlockReason !== null) return blockNotice(appealBlockReason);
  const { typed, problem } = draft;
  return html`<p>
      If the review is wrong about this product, tell an operator why. The operator can restore the
      seal until the next review.
    </p>
    ${form({
      action: `${productPath(product.slug)}/seal`,
      token,
      button: 'Send appeal',
      note: html`<label>
        Your reasons
        <textarea
          name="text"
          rows="5"
          required
          ${problem === null ? '' : html`aria-invalid="true" aria-describedby="text-problem"`}
        >
${typed}</textarea>
        ${problem === null ? '' : html`<small id="text-problem" role="alert">${problem}</small>`}
      </label>`,
    })}`;
}
