import { html, type HtmlSafeString } from '@prairielearn/html';
import type { InvitationView } from '../../../domain/teams/invitation.repository.ts';
import type { MemberView } from '../../../domain/teams/member.repository.ts';
import { isAllowed, mayChangeRole, ROLES } from '../../../domain/teams/permissions.ts';
import type { TeamView } from '../../../domain/teams/team.repository.ts';
import type { View } from '../../http/route.ts';
import { form } from '../../html/form.ts';
import { formToken, instant } from '../../html/layout.ts';
import { problemNotice, VERIFICATION } from '../../html/notices.ts';
import { ALL_REVOKED } from '../managed-product.ts';
import { table } from '../../html/table.ts';
import { teamHeading, teamPath } from '../console-frame.ts';
import { sentenceCase } from '../../html/status-labels.ts';
import { invitationSection, type InvitationDraft } from './invitations.page.ts';

export type TeamProps = {
  team: TeamView;
  personId: string;
  members: MemberView[];
  invitations: InvitationView[];
  token: string;
  /** The reason why the action was refused. */
  problem?: string | null;
  draft?: InvitationDraft;
  name?: { value: string; problem: string | null };
};

export function teamPage(props: TeamProps): View {
  const { team, problem } = props;
  const isManager = isAllowed([team.role], 'manage_team');
  return {
    title: team.name,
    content: html`
      ${teamHeading(team, '')} ${problemNotice(problem)} ${suspension(team)}
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
    columns: [
      {
        heading: 'Member',
        cell: ({ displayName, handle, personId, since }: MemberView) =>
          html`<strong>${displayName}</strong>${personId === props.personId ? ' (you)' : ''}<br />
            <small class="muted">${handle}, since ${instant(since)}</small>`,
      },
      { heading: 'Role', cell: ({ role }) => sentenceCase(role) },
      ...(isManager
        ? [{ heading: 'Actions', cell: (member: MemberView) => changes(member, props) }]
        : []),
    ],
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
  return html`<section class="slim">
    <h2>Rename team</h2>
    ${form({
      action: `${teamPath(team.id)}/rename`,
      token,
      button: 'Rename team',
      fields: [
        {
          label: 'Team name',
          name: 'name',
          value: name?.value ?? team.name,
          problem: name?.problem,
        },
      ],
    })}
  </section>`;
}
