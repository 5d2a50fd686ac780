import { html, type HtmlSafeString } from '@prairielearn/html';
import type { InvitationView } from '../../../domain/teams/invitation.repository.ts';
import type { MemberView } from '../../../domain/teams/member.repository.ts';
import { isAllowed, mayChangeRole, ROLES, type Role } from '../../../domain/teams/permissions.ts';
import type { TeamView } from '../../../domain/teams/team.repository.ts';
import type { View } from '../../http/route.ts';
import { form, formFields, type Draft, emptyState, smallButton } from '../../html/form.ts';
import { formToken, instant } from '../../html/layout.ts';
import { problemNotice, VERIFICATION } from '../../html/notices.ts';
import { ALL_REVOKED } from '../managed-product.ts';
import { table } from '../../html/table.ts';
import { teamFrame, teamPath } from '../console-frame.ts';
import { sentenceCase } from '../../html/status-labels.ts';

export type TeamProps = {
  team: TeamView;
  personId: string;
  members: MemberView[];
  invitations: InvitationView[];
  token: string;
  /** The reason why the action was refused. */
  problem?: string | null;
  draft?: InvitationDraft;
  name?: Draft<'name'>;
};

export function teamPage(props: TeamProps): View {
  const { team, problem } = props;
  const isManager = isAllowed([team.role], 'manage_team');
  return {
    title: team.name,
    ...teamFrame(team, '', team.name),
    content: html`
      ${problemNotice(problem)} ${suspension(team)}
      <p>
        Your role: <strong>${sentenceCase(team.role)}</strong>.
        <a href="/console/roles">What each role can do</a>
      </p>
      <section>
        <h2>Members</h2>
        ${memberTable(props)}
      </section>
      ${isManager ? invitationSection(props) : ''} ${isManager ? renaming(props) : ''}
      <section>
        <h2>Leave or delete</h2>
        <p><a href="${teamPath(team.id)}/leave">Leave team</a></p>
        ${
          isAllowed([team.role], 'delete_team')
            ? html`<p><a href="${teamPath(team.id)}/delete">Delete team</a></p>`
            : ''
        }
      </section>
    `,
  };
}

function suspension({ isSuspended }: TeamView): HtmlSafeString | '' {
  if (!isSuspended) return '';
  return html`<p class="notice" role="status" data-suspended>
    This team sells nothing: ${ALL_REVOKED} People who paid keep their access.
    <a href="${VERIFICATION}">Verified builder</a>
  </p>`;
}

function memberTable(props: TeamProps): HtmlSafeString {
  const isManager = isAllowed([props.team.role], 'manage_team');
  return table({
    label: 'Members',
    columns: {
      Member: ({ displayName, handle, personId, since }: MemberView) =>
        html`<strong>${displayName}</strong>${personId === props.personId ? ' (you)' : ''}<br />
          <small class="muted">${handle}, since ${instant(since)}</small>`,
      Role: ({ role }) => sentenceCase(role),
      ...(isManager ? { Actions: (member: MemberView) => changes(member, props) } : {}),
    },
    rows: props.members,
    empty: '',
  });
}

/** The actions that the viewer may perform on the member. */
function changes({ personId, handle, role }: MemberView, { team, token, ...props }: TeamProps) {
  if (!mayChangeRole({ by: team.role, from: role, to: null })) return '-';
  const path = `${teamPath(team.id)}/members/${personId}`;
  const others = ROLES.filter(
    (to) => to !== 'owner' && to !== role && mayChangeRole({ by: team.role, from: role, to }),
  );
  const mayMakeOwner = role !== 'owner' && isAllowed([team.role], 'manage_owners');
  return html`<div class="actions">
    <form class="one-line" method="post" action="${path}">
      ${formToken(token)}
      <select name="role" aria-label="New role of ${handle}">
        ${others.map((other) => html`<option value="${other}">${sentenceCase(other)}</option>`)}
      </select>
      <button type="submit" class="outline secondary">Change role</button>
    </form>
    ${mayMakeOwner ? html`<a href="${path}/owner">Make owner</a>` : ''}
    ${personId === props.personId ? '' : html`<a href="${path}/remove">Remove</a>`}
  </div>`;
}

function renaming({ team, token, name }: TeamProps): HtmlSafeString {
  const fields = formFields(name, { name: team.name });
  return html`<section class="slim">
    <h2>Rename team</h2>
    ${form({
      action: `${teamPath(team.id)}/rename`,
      token,
      button: 'Rename team',
      fields: [fields('name', { label: 'Team name' })],
    })}
  </section>`;
}

/** The submitted form and its validation messages. */
type InvitationDraft = Draft<'email' | 'role'>;

/** Shows managers of the team the open invitations, and a form to send another one. */
function invitationSection({ team, invitations, token, draft }: TeamProps): HtmlSafeString {
  const action = `${teamPath(team.id)}/invitations`;
  const fields = formFields(draft, { role: 'developer' });
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
      isMain: true,
      fields: [
        fields('email', {
          label: 'Email',
          type: 'email',
          hint: 'New invitations replace old ones to the same address.',
        }),
        fields('role', {
          label: 'Role',
          options: roles.map((role) => ({ value: role, label: sentenceCase(role) })),
        }),
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
