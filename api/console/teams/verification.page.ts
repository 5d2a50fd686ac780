import { html, type HtmlSafeString } from '@prairielearn/html';
import type { BuilderState } from '../../../domain/identity/operators/builder.repository.ts';
import {
  MAX_ANSWER_LENGTHS,
  type VerificationAnswers,
} from '../../../domain/identity/operators/verification-answers.ts';
import type { View } from '../../http/route.ts';
import { form, formFields, type Draft } from '../../html/form.ts';
import { VERIFICATION } from '../../html/notices.ts';
import { consoleView } from '../console-frame.ts';

export type VerificationDraft = Draft<keyof VerificationAnswers>;

type Props = {
  builder: BuilderState;
  /** The time within which a request is usually decided, in words. */
  usualTime: string;
  draft: VerificationDraft;
  formToken: string;
};

export function verificationPage(props: Props & { unread: number }): View {
  const { status, declinedFor } = props.builder;
  const content = html`<div class="slim">
    <article data-verification="${status}">
      ${
        declinedFor === null
          ? ''
          : html`<p class="notice" data-declined>
              We declined your last request: <span class="id">${declinedFor}</span>
            </p>`
      }
      ${panel(props)}
    </article>
    ${status === 'verified' ? '' : WHAT_FOR}
  </div>`;
  return consoleView({ title: 'Verified builder', content, unread: props.unread }, VERIFICATION);
}

const WHAT_FOR = html`<p class="muted">
  Verify your account to sell and to create teams. Team members need no verification. Their roles
  decide what they can do.
</p>`;

function panel(props: Props): HtmlSafeString {
  const { builder, usualTime } = props;
  switch (builder.status) {
    case 'verified':
      return html`<p>You are a verified builder. You can sell and integrate your own products.</p>`;
    case 'waiting':
      return html`<p>
        You requested verification. We usually decide within ${usualTime}, and email you when we
        have decided.
      </p>`;
    case 'unconfirmed':
      return html`<p>
        <a href="/settings/security">Confirm your email address</a> before you request verification.
      </p>`;
    case 'none':
      return requestPanel(props);
  }
}

function requestPanel(props: Props): HtmlSafeString {
  return html`<p>
      You can create drafts, test keys, and OAuth clients and webhook endpoints on your own machine
      now. Once you are verified, you can create live keys, other clients and endpoints, send tests,
      set prices and list your own products.
    </p>
    <h2>Who is verified</h2>
    <ul>
      <li>You made what you sell, or have the right to sell it, and it is legal.</li>
      <li>We can look at it: a website, a page in a store or a demo.</li>
      <li>We can reach you, and so can your customers.</li>
    </ul>
    <p>An operator reads your answers. We usually decide within ${props.usualTime}.</p>
    ${requestForm(props)}`;
}

function requestForm({ draft, formToken: token }: Props) {
  const fields = formFields(draft);
  const { sells, place, contact } = MAX_ANSWER_LENGTHS;
  return form({
    action: VERIFICATION,
    token,
    button: 'Request verification',
    isMain: true,
    fields: [
      fields('sells', {
        label: 'What do you sell?',
        hint: `What it does and for whom, in at most ${sells} characters.`,
        rows: 4,
      }),
      fields('place', {
        label: 'Where can we see it?',
        hint: `An address such as https://example.com, in at most ${place} characters.`,
      }),
      fields('contact', {
        label: 'How can we reach you?',
        hint: `An email address or a phone number, in at most ${contact} characters. Operators alone see it.`,
      }),
    ],
  });
}
