import { html, type HtmlSafeString } from '@prairielearn/html';
import type { InvitationView } from '../../../domain/teams/invitation.repository.ts';
import { mayChangeRole, ROLES, type Role } from '../../../domain/teams/permissions.ts';
import type { TeamView } from '../../../domain/teams/team.repository.ts';
import { emptyState, form, smallButton } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { sentenceCase } from '../../html/status-labels.ts';
import { teamPath } from '../console-frame.ts';

/** The submitted form and its validation messages. */
export type InvitationDraft = { email: string; role: string; problem: string | null };

type Props = {
  team: TeamView;
  invitations: InvitationView[];
  token: string;
  draft?: InvitationDraft;
};

/** Shows managers of the team the open invitations, and a form to send another one. */
export function invitationSection({ team, invitations, token, draft }: Props): HtmlSafeString {
  const action = `${teamPath(team.id)}/invitations`;
  const roles = ROLES.filter((to) => mayChangeRole({ by: team.role, from: null, to }));
  return html`<section class="slim">
    <h2>Invitations</h2>
    ${
      invitations.length === 0
        ? emptyState('No open invitations.')
        : html`<ul class="rows">
            ${invitations.map((invitation) => row(invitation, { team, token }))}
          </ul>`
    }
    ${form({
      action,
      token,
      button: 'Send invitation',
      fields: [
        {
          label: 'Email',
          name: 'email',
          type: 'email',
          value: draft?.email ?? '',
          hint: 'New invitations replace old ones to the same address.',
          problem: draft?.problem,
        },
        {
          label: 'Role',
          name: 'role',
          value: draft?.role ?? 'developer',
          options: roles.map((role) => ({ value: role, label: sentenceCase(role) })),
        },
      ],
    })}
  </section>`;
}

function row(
  { id, address, role, expiresAt, isExpired }: InvitationView,
  { team, token }: { team: TeamView; token: string },
) {
  const action = `${teamPath(team.id)}/invitations/${id}/withdraw`;
  return html`<li data-invitation="${id}">
    <span>
      <span class="id">${address}</span><br />
      <small class="muted">
        ${sentenceCase(role)}, ${isExpired ? 'expired' : 'expires'} ${instant(expiresAt)}
      </small>
    </span>
    ${mayWithdraw(team.role, role) ? smallButton({ action, token, button: 'Revoke' }) : ''}
  </li>`;
}

function mayWithdraw(by: Role, from: Role): boolean {
  return mayChangeRole({ by, from, to: null });
}
