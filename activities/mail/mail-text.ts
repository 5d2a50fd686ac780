import { html, type HtmlSafeString } from '@prairielearn/html';
import type { PersonalPurpose } from '../../domain/identity/mail/mail-purpose.ts';
import { ACCOUNT_NOTICES, type Content } from './account-notices.ts';

export type MailText = { subject: string; text: string; html: string };

type Facts = {
  purpose: PersonalPurpose;
  handle: string;
  token: string | null;
  baseUrl: string;
  /** Where somebody can write to whoever runs the platform. */
  support: string;
  /** Of a sign-in: from where, and when. */
  device?: string | null;
  createdAt?: string;
};

/** What each mail says, `path` being where its link leads. */
const CONTENTS: Record<PersonalPurpose, Content> = {
  ...ACCOUNT_NOTICES,
  verify_email: {
    subject: 'Please confirm your e-mail address',
    lines: [
      'An account was made at Gatehouse with this address. Please confirm that it is yours.',
      'The link works for 24 hours. If it was not you, leave it alone.',
    ],
    path: '/verify-email',
    button: 'Confirm the address',
  },
  change_email: {
    subject: 'Please confirm your new e-mail address',
    lines: [
      'This address is to become the address of your Gatehouse account. Please confirm it.',
      'The link works for 24 hours. If you did not ask for it, leave it alone.',
    ],
    path: '/verify-email',
    button: 'Confirm the address',
  },
  reset_password: {
    subject: 'Choose a new password',
    lines: [
      'Somebody, we hope you, has asked for a new password of your Gatehouse account.',
      'The link works for one hour and once. If it was not you, leave it alone: nothing changes.',
    ],
    path: '/reset-password',
    button: 'Choose a new password',
  },
  known_address: {
    subject: 'You already have an account',
    lines: [
      'Somebody, perhaps you, has tried to sign up at Gatehouse with this address. It already has an account.',
      'If you have forgotten your password, ask for a new one.',
    ],
    path: '/forgot-password',
    button: 'Ask for a new password',
  },
  builder_verified: {
    subject: 'You are verified as a builder',
    lines: [
      'We have verified you as a builder. You can now make keys, clients and webhook endpoints, set prices and list your products.',
    ],
    path: '/console',
    button: 'Open the console',
  },
  builder_declined: {
    subject: 'We could not verify you as a builder',
    lines: [
      'You asked to be verified as a builder, and we could not do it this time. You may ask again.',
    ],
    path: '/console/verification',
    button: 'See where it stands',
  },
  builder_withdrawn: {
    subject: 'You are no longer verified as a builder',
    lines: [
      'We have withdrawn your verification as a builder.',
      'What you have built keeps running, and what people bought stays theirs. Products that are yours alone are not sold for now, and their keys, clients, endpoints and prices cannot be changed.',
    ],
    path: '/console/verification',
    button: 'See where it stands',
  },
  endpoint_failing: {
    subject: 'A webhook delivery could not be made',
    lines: [
      'A webhook endpoint of a product that you look after did not accept a delivery: the first attempt and all five retries have failed, and it is not tried again by itself.',
      'The console shows what the endpoint answered. Once it works again, retry the delivery or recover all of them.',
      'We write again only after the endpoint has worked in between.',
    ],
    path: '/console/notifications',
    button: 'See which endpoint',
  },
  endpoint_disabled: {
    subject: 'A webhook endpoint was disabled',
    lines: [
      'A webhook endpoint of a product that you look after has accepted nothing for five days. We have disabled it.',
      'What happens from now on is kept for it. Once it works again, enable it and recover what it has missed: at most 14 days back.',
    ],
    path: '/console/notifications',
    button: 'See which endpoint',
  },
  alert_raised: {
    subject: 'Something needs an operator',
    lines: [
      'Gatehouse has noticed something that a person has to look at. The list of alerts says what.',
      'We write again at the earliest in half an hour.',
    ],
    path: '/operator/alerts',
    button: 'See the alerts',
  },
  operator_recovered: {
    subject: 'The sign-in of an operator was reset',
    lines: [
      'From the command line, the passkeys and the password of an operator of Gatehouse were removed, so that they can set new ones. The audit trail says whose.',
      'If none of the operators asked for this, check who can log in to the machine.',
    ],
    path: '/operator/audit',
    button: 'See the audit trail',
  },
  renewal_ahead: {
    subject: 'A yearly subscription renews in a week',
    lines: [
      'One of your yearly subscriptions renews in a week, and is charged then.',
      'Your purchases say which, when and how much. There you can also cancel it: it then runs until that day, and nothing is charged.',
    ],
    path: '/settings/purchases',
    button: 'See your subscriptions',
  },
  renewal_failed: {
    subject: 'A subscription could not be charged',
    lines: [
      'The card of one of your subscriptions was refused. What you have paid for is yours; for a few more days we try again, then the subscription ends.',
      'Your purchases say which one it is. There you can use another card; where it has ended by now, you can subscribe anew.',
    ],
    path: '/settings/purchases',
    button: 'See your subscriptions',
  },
};

export function composeMail({ purpose, handle, token, baseUrl, ...facts }: Facts): MailText {
  const { subject, path, button, lines: templates } = CONTENTS[purpose];
  const { support, device, createdAt = '' } = facts;
  const lines = templates.map((line) =>
    line
      .replace('{support}', support)
      .replace('{device}', device ?? 'unknown device')
      .replace('{at}', createdAt),
  );
  const link = `${baseUrl}${path}${token === null ? '' : `?token=${token}`}`;
  return renderMail({ subject, greeting: `Hello ${handle},`, lines, link, button });
}

type Words = { subject: string; greeting: string; lines: string[]; link: string; button: string };

/** The mail as text and as HTML: the same words, one link, no pictures, nothing that calls home. */
export function renderMail(words: Words): MailText {
  const { subject, greeting, lines, link, button } = words;
  const text = [greeting, ...lines, `${button}:\n${link}`, 'Gatehouse'].join('\n\n');
  return { subject, text: `${text}\n`, html: asHtml(words) };
}

function asHtml({ greeting, lines, link, button }: Words): string {
  const paragraph = (content: HtmlSafeString | string) => html`<p>${content}</p>`;
  return html`<!doctype html>
    <html lang="en">
      <body style="font: 16px/1.5 sans-serif; max-width: 36em">
        ${[greeting, ...lines].map(paragraph)} ${paragraph(html`<a href="${link}">${button}</a>`)}
        ${paragraph('Gatehouse')}
      </body>
    </html>`.toString();
}
