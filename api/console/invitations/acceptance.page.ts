import { html, type HtmlSafeString } from '@prairielearn/html';
import type { Invitation } from '../../../domain/teams/acceptance.repository.ts';
import type { View } from '../../route.ts';
import { emptyState, form } from '../../html/form.ts';
import { teamPath } from '../console-frame.ts';

/** Why an invitation cannot be accepted by whoever looks at it. */
export type AcceptanceBlockReason =
  | 'unknown'
  | 'not_yours'
  | 'not_confirmed'
  | Exclude<Invitation['state'], 'open'>;

export function acceptancePage({ invitation, token }: { invitation: Invitation; token: string }) {
  const { id, teamName, inviterName, role } = invitation;
  return narrow({
    title: `Join ${teamName}`,
    state: 'open',
    content: html`
      <p>
        <strong>${inviterName}</strong> invites you to the team <strong>${teamName}</strong>, as
        <strong>${role}</strong>.
      </p>
      <p>The members of the team will see your name and your handle.</p>
      ${form({ action: `/team-invitations/${id}`, token, button: 'Join the team' })}
      <p><a href="/console">Not now</a></p>
    `,
  });
}

const SENTENCES: Record<AcceptanceBlockReason, string> = {
  unknown: 'It was answered or withdrawn long ago, or the address of this page is not complete.',
  not_yours: 'It was sent to another address than that of the account you are signed in with.',
  not_confirmed: 'First confirm that the address of your account is yours.',
  accepted: 'You have accepted it already.',
  withdrawn: 'It was withdrawn. Where another one has taken its place, its mail is the newer one.',
  expired: 'Its seven days are over. Ask for another one.',
};

export function blockedPage(props: {
  blockReason: AcceptanceBlockReason;
  email: string;
  invitation: Invitation | null;
}): View {
  const { blockReason, email, invitation } = props;
  return narrow({
    title: 'This invitation is not open to you',
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
    return emptyState('The link is in your mail; another can be sent:', {
      path: '/settings/security',
      label: 'to the security settings',
    });
  }
  if (blockReason === 'not_yours') {
    return emptyState('Sign out, and open the link again with the account that was invited.');
  }
  const path = blockReason === 'accepted' && invitation ? teamPath(invitation.teamId) : '/console';
  return html`<p><a href="${path}">Go on to the console</a></p>`;
}

function narrow(props: { title: string; state: string; content: HtmlSafeString }): View {
  const { title, state, content } = props;
  return {
    title,
    content: html`<div class="narrow" data-invitation="${state}">
      <h1>${title}</h1>
      ${content}
    </div>`,
  };
}
