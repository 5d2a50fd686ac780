import { html, type HtmlSafeString } from '@prairielearn/html';
import type { InvitationView } from '../../../domain/teams/invitation.repository.ts';
import type { MemberView } from '../../../domain/teams/member.repository.ts';
import { isAllowed, mayChangeRole, ROLES, type Role } from '../../../domain/teams/permissions.ts';
import type { View } from '../../http/route.ts';
import { form, formFields, smallButton, type Draft } from '../../html/form.ts';
import { writePlural } from '../../html/numbers.ts';
import { instant, shortDay } from '../../html/dates.ts';
import { formToken } from '../../html/parts/form-token.ts';
import { problemNotice, VERIFICATION } from '../../html/notices.ts';
import { avatar } from '../../html/parts/avatar.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { note } from '../../html/parts/note.ts';
import { pill } from '../../html/parts/pill.ts';
import { ALL_REVOKED } from '../managed-product.ts';
import { table } from '../../html/table.ts';
import { teamPath } from '../console-frame.ts';
import { teamFrame } from '../team-frame.ts';
import { sentenceCase } from '../../html/sentence-case.ts';
import { halves } from '../../html/parts/beside.ts';
import { named } from '../../html/parts/named.ts';
import type { ShownTeam } from './managed-team.ts';

export type TeamProps = {
  team: ShownTeam;
  personId: string;
  members: MemberView[];
  invitations: InvitationView[];
  token: string;
  /** The reason why the action was refused. */
  problem?: string | null;
  draft?: InvitationDraft;
};

export function teamPage(props: TeamProps): View {
  const { team, problem } = props;
  const isManager = isAllowed([team.role], 'manage_team');
  return {
    title: `Team ${team.name}`,
    ...teamFrame(team, '', 'Team'),
    content: html`
      ${problemNotice(problem)} ${suspension(team)} ${memberCard(props)}
      ${isManager ? invitationCards(props) : ''}
    `,
  };
}

function suspension({ isSuspended }: ShownTeam): HtmlSafeString | '' {
  if (!isSuspended) return '';
  return html`<div data-suspended>
    ${note({
      tone: 'bad',
      sentence: 'This team sells nothing.',
      more: `${sentenceCase(ALL_REVOKED)} People who paid keep their access.`,
      actions: button({ text: 'Verified maker', href: VERIFICATION, size: 'small' }),
    })}
  </div>`;
}

function memberCard(props: TeamProps): HtmlSafeString {
  const { team, members } = props;
  const isManager = isAllowed([team.role], 'manage_team');
  return card({
    title: team.name,
    facts: `${writePlural(members.length, 'member')}. You are ${team.role}.`,
    rows: table({
      label: 'Members',
      columns: {
        Member: (member: MemberView) => person(member, member.personId === props.personId),
        Role: {
          onPhone: 'state',
          cell: ({ role }) =>
            pill({ word: sentenceCase(role), tone: role === 'owner' ? 'ok' : 'neutral' }),
        },
        Since: ({ since }) => shortDay(since),
        ...(isManager ? { Change: (member: MemberView) => changes(member, props) } : {}),
      },
      rows: members,
      empty: '',
    }),
  });
}

function person({ displayName, handle }: MemberView, isViewer: boolean): HtmlSafeString {
  return named({
    mark: avatar(displayName),
    name: html`<strong>${displayName}${isViewer ? ' (you)' : ''}</strong>`,
    line: `@${handle}`,
  });
}

/** The role that a member has: to send it changes nothing, and asks for no proof. */
export const UNCHANGED = 'unchanged';

/** The actions that the viewer may perform on the member. */
function changes({ personId, handle, role }: MemberView, { team, token, ...props }: TeamProps) {
  if (!mayChangeRole({ by: team.role, from: role, to: null })) return '';
  const path = `${teamPath(team.id)}/members/${personId}`;
  const roles = ROLES.filter(
    (to) => to === role || (to !== 'owner' && mayChangeRole({ by: team.role, from: role, to })),
  );
  const mayMakeOwner = role !== 'owner' && isAllowed([team.role], 'manage_owners');
  return html`<div class="actions">
    <form class="actions" method="post" action="${path}">
      ${formToken(token)}
      <select name="role" aria-label="New role of ${handle}">
        ${roles.map((each) => roleOption(each, role))}
      </select>
      ${button({ text: 'Change role', size: 'small' })}
    </form>
    ${
      mayMakeOwner
        ? button({
            text: 'Make owner',
            label: `Make ${handle} an owner`,
            href: `${path}/owner`,
            size: 'small',
          })
        : ''
    }
    ${
      personId === props.personId
        ? ''
        : button({
            text: 'Remove',
            label: `Remove ${handle}`,
            href: `${path}/remove`,
            kind: 'warns',
            size: 'small',
          })
    }
  </div>`;
}

function roleOption(value: Role, current: Role): HtmlSafeString {
  return value === current
    ? html`<option value="${UNCHANGED}" selected>${sentenceCase(value)}</option>`
    : html`<option value="${value}">${sentenceCase(value)}</option>`;
}

/** The submitted form and its validation messages. */
type InvitationDraft = Draft<'email' | 'role'>;

/** Managers of the team invite others, and see whom they have invited. */
function invitationCards(props: TeamProps): HtmlSafeString {
  const { team, invitations, token } = props;
  return halves(html`
    ${invitationForm(props)}
    ${card({
      title: 'Open invitations',
      rows:
        invitations.length === 0
          ? html`<p class="body">Nobody is invited.</p>`
          : html`<ul class="rows">
              ${invitations.map((invitation) => row(invitation, { team, token }))}
            </ul>`,
    })}
  `);
}

function invitationForm({ team, token, draft }: TeamProps): HtmlSafeString {
  const fields = formFields(draft, { role: 'developer' });
  const roles = ROLES.filter((to) => mayChangeRole({ by: team.role, from: null, to }));
  return card({
    title: 'Invite somebody',
    actions: html`<a href="/console/roles">What each role can do</a>`,
    body: form({
      action: `${teamPath(team.id)}/invitations`,
      token,
      button: 'Send invitation',
      isMain: true,
      fields: [
        fields('email', {
          label: 'Email',
          type: 'email',
          hint: 'The link works for seven days. A new invitation replaces an old one to the same address.',
        }),
        fields('role', {
          label: 'Role',
          options: roles.map((role) => ({ value: role, label: sentenceCase(role) })),
        }),
      ],
    }),
  });
}

function row(
  { id, address, role, expiresAt, isExpired }: InvitationView,
  { team, token }: Pick<TeamProps, 'team' | 'token'>,
) {
  const path = `${teamPath(team.id)}/invitations/${id}`;
  return html`<li data-invitation="${id}">
    <span>
      <span class="id">${address}</span><br />
      <small class="muted">
        ${sentenceCase(role)}, ${isExpired ? 'expired' : 'expires'} ${instant(expiresAt)}
      </small>
    </span>
    ${
      mayChangeRole({ by: team.role, from: role, to: null })
        ? html`<span class="actions">
            ${smallButton({
              action: `${path}/resend`,
              token,
              button: 'Send again',
              label: `Send again: the invitation to ${address}`,
            })}
            ${smallButton({
              action: `${path}/withdraw`,
              token,
              button: 'Revoke',
              label: `Revoke the invitation to ${address}`,
            })}
          </span>`
        : ''
    }
  </li>`;
}
