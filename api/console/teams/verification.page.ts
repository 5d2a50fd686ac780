import { html, type HtmlSafeString } from '@prairielearn/html';
import type { BuilderState } from '../../../domain/identity/operators/builder.repository.ts';
import {
  MAX_ANSWER_LENGTHS,
  type VerificationAnswers,
} from '../../../domain/identity/operators/verification-answers.ts';
import type { View } from '../../http/route.ts';
import { form, formFields, type Draft } from '../../html/form.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { needs } from '../../html/parts/needs.ts';
import { note } from '../../html/parts/note.ts';
import { VERIFICATION } from '../../html/notices.ts';
import { halves } from '../../html/parts/beside.ts';
import type { ConsoleScope } from '../console-scope.ts';
import { consoleView } from '../team-frame.ts';

export type VerificationDraft = Draft<keyof VerificationAnswers>;

type Props = {
  builder: BuilderState;
  /** The time within which a request is usually decided, in words. */
  usualTime: string;
  draft: VerificationDraft;
  formToken: string;
};

export function verificationPage(props: Props & { scope: ConsoleScope }): View {
  const { status, declinedFor } = props.builder;
  const content = html`<div class="stack" data-verification="${status}">
    ${
      declinedFor === null
        ? ''
        : html`<div data-declined>
            ${note({
              tone: 'warn',
              sentence: 'We declined your last request.',
              more: html`<span class="id">${declinedFor}</span>`,
            })}
          </div>`
    }
    ${panel(props)}
  </div>`;
  const { scope } = props;
  return consoleView({ title: 'Verified maker', content, scope }, VERIFICATION);
}

const WHAT_FOR =
  'Verify your account to sell and to create teams. Team members need no verification: their roles decide what they can do.';

function panel(props: Props): HtmlSafeString {
  const { builder, usualTime } = props;
  switch (builder.status) {
    case 'verified':
      return note({
        tone: 'ok',
        sentence: 'You are a verified maker.',
        more: 'You can sell and integrate your own products.',
      });
    case 'waiting':
      return note({
        tone: 'info',
        sentence: 'You requested verification.',
        more: `We usually decide within ${usualTime}, and email you when we have decided.`,
      });
    case 'unconfirmed':
      return note({
        tone: 'warn',
        sentence: 'Confirm your email address first.',
        more: WHAT_FOR,
        actions: button({
          text: 'Confirm email address',
          href: '/settings/security',
          size: 'small',
        }),
      });
    case 'none':
      return requestPanel(props);
  }
}

function requestPanel(props: Props): HtmlSafeString {
  return html`<p class="muted">${WHAT_FOR}</p>
    ${halves(html`
      ${card({
        title: 'Request verification',
        body: requestForm(props),
        foot: `An operator reads your answers. We usually decide within ${props.usualTime}.`,
      })}
      ${card({
        title: 'Who is verified',
        rows: needs([
          {
            tone: 'ok',
            title: 'It is yours to sell',
            line: 'You made what you sell, or have the right to sell it, and it is legal.',
          },
          {
            tone: 'ok',
            title: 'We can look at it',
            line: 'A website, a page in a store or a demo.',
          },
          { tone: 'ok', title: 'You can be reached', line: 'By us, and by your customers.' },
        ]),
        foot: 'Until then you can create drafts, test keys, and OAuth clients and webhook endpoints on your own machine. Once you are verified, you can create live keys, other clients and endpoints, send tests, set prices and list your own products.',
      })}
    `)}`;
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
