import { html, type HtmlSafeString } from '@prairielearn/html';
import type { InvitationView } from '../../../domain/teams/invitation.repository.ts';
import { mayChangeRole, ROLES, type Role } from '../../../domain/teams/permissions.ts';
import type { TeamView } from '../../../domain/teams/team.repository.ts';
import { emptyState, form, smallButton } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { teamPath } from '../console-frame.ts';

/** The form as it was typed, and what is wrong with it. */
export type InvitationDraft = { email: string; role: string; problem: string | null };

type Props = {
  team: TeamView;
  invitations: InvitationView[];
  token: string;
  draft?: InvitationDraft;
};

/** For those who manage the team: who is invited, and a form to invite somebody. */
export function invitationSection({ team, invitations, token, draft }: Props): HtmlSafeString {
  const action = `${teamPath(team.id)}/invitations`;
  const roles = ROLES.filter((to) => mayChangeRole({ by: team.role, from: null, to }));
  return html`<section class="slim">
    <h2>Invitations</h2>
    ${
      invitations.length === 0
        ? emptyState('Nobody is invited at the moment.')
        : html`<ul class="rows">
            ${invitations.map((invitation) => row(invitation, { team, token }))}
          </ul>`
    }
    ${form({
      action,
      token,
      button: 'Invite',
      fields: [
        {
          label: 'E-mail',
          name: 'email',
          type: 'email',
          value: draft?.email ?? '',
          hint: 'They get a mail; another invitation takes the place of the one before.',
          problem: draft?.problem,
        },
        {
          label: 'Role',
          name: 'role',
          value: draft?.role ?? 'developer',
          options: roles.map((role) => ({ value: role, label: role })),
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
        ${role},
        ${isExpired ? html`over since ${instant(expiresAt)}` : html`until ${instant(expiresAt)}`}
      </small>
    </span>
    ${mayWithdraw(team.role, role) ? smallButton({ action, token, button: 'Withdraw' }) : ''}
  </li>`;
}

function mayWithdraw(by: Role, from: Role): boolean {
  return mayChangeRole({ by, from, to: null });
}
