import { html, type HtmlSafeString } from '@prairielearn/html';
import type { Invitation } from '../../../domain/teams/accept-invitation.repository.ts';
import type { View } from '../../http/route.ts';
import { form } from '../../html/form.ts';
import { gate } from '../../html/emblems.ts';
import { avatar } from '../../html/parts/avatar.ts';
import { button } from '../../html/parts/button.ts';
import { teamPath } from '../console-frame.ts';

/** The reasons why this person cannot accept the invitation. */
export type AcceptanceBlockReason =
  | 'unknown'
  | 'not_yours'
  | 'not_confirmed'
  | 'outdated'
  | 'revoked'
  | Exclude<Invitation['state'], 'open'>;

export function acceptancePage({ invitation, token }: { invitation: Invitation; token: string }) {
  const { id, teamName, inviterName, role } = invitation;
  return narrow({
    title: `Join ${teamName}`,
    state: 'open',
    mark: avatar(teamName),
    content: html`
      <p>
        <strong>${inviterName}</strong> invited you to the team <strong>${teamName}</strong> as
        <strong>${role}</strong>.
      </p>
      <p>Team members will see your name and handle.</p>
      ${form({ action: `/team-invitations/${id}`, token, button: 'Join team', isMain: true })}
      ${button({ text: 'Not now', href: '/console', kind: 'quiet' })}
    `,
  });
}

const SENTENCES: Record<AcceptanceBlockReason, string> = {
  unknown: 'This invitation no longer exists, or the link is incomplete.',
  not_yours: 'This invitation is for another email address.',
  not_confirmed: 'Confirm the email address of your account first.',
  outdated:
    'The person who invited you can no longer give this role. Ask an owner of the team for a new invitation.',
  revoked:
    'Your verification was revoked, so you cannot become an owner. Request verification again in the console.',
  accepted: 'You have already accepted this invitation.',
  withdrawn:
    'This invitation was revoked. If you have a newer invitation, use the link in that email.',
  expired: 'This invitation expired after seven days. Ask for a new one.',
};

export function blockedPage(props: {
  blockReason: AcceptanceBlockReason;
  email: string;
  invitation: Invitation | null;
}): View {
  const { blockReason, email, invitation } = props;
  return narrow({
    title: "You can't accept this invitation",
    state: blockReason,
    content: html`
      <p>${SENTENCES[blockReason]}</p>
      ${wayOn(blockReason, invitation)}
      <p class="muted">You are signed in as <span class="id">${email}</span>.</p>
    `,
  });
}

function wayOn(blockReason: AcceptanceBlockReason, invitation: Invitation | null): HtmlSafeString {
  if (blockReason === 'not_confirmed') {
    return html`<p>Follow the link in our email, or send it again.</p>
      ${button({ text: 'Security settings', href: '/settings/security', kind: 'primary' })}`;
  }
  if (blockReason === 'not_yours') {
    return html`<p>Sign out, then open the link again and sign in to the invited account.</p>`;
  }
  const path = blockReason === 'accepted' && invitation ? teamPath(invitation.teamId) : '/console';
  return button({ text: 'Go to the console', href: path, kind: 'primary' });
}

type Narrow = { title: string; state: string; mark?: HtmlSafeString; content: HtmlSafeString };

function narrow({ title, state, mark = gate('shut'), content }: Narrow): View {
  return {
    title,
    area: 'account',
    isFocused: true,
    content: html`<div class="narrow invitation" data-invitation="${state}">
      ${mark}
      <h1>${title}</h1>
      ${content}
    </div>`,
  };
}
