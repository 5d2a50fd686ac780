import { z } from 'zod';
import { ROLES } from '../../../domain/teams/permissions.ts';
import { redirect } from '../../http/response.ts';
import { defineRoute, SESSION_FORM, SESSION_PAGE } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { teamPath } from '../console-frame.ts';
import { loadTeam, teamRef } from './managed-team.ts';
import { changeMembers, confirmationAnswer, loadMember, memberRef } from './member-change.ts';
import { UNCHANGED } from './team.page.ts';
import { formBody, NO_FIELDS } from '../../http/fields.ts';

/** Owners are made on a page of their own. */
const OTHER_ROLES = ROLES.filter((role) => role !== 'owner');

const newRole = z.enum([...OTHER_ROLES, UNCHANGED]);

const changeRole = defineRoute({
  ...SESSION_FORM,
  path: '/console/teams/:team/members/:person',
  summary: 'Change the role of a member',
  proof: ({ role }) => role !== UNCHANGED,
  input: { params: memberRef, body: formBody({ role: newRole }) },
  async handler(context) {
    const team = await loadTeam(context, 'manage_team');
    const { personId } = await loadMember(context, team);
    const { role: to } = context.body;
    if (to === UNCHANGED) return redirect(withNotice(teamPath(team.id), 'unchanged'));
    const change = { personId, to, action: 'member.role_changed' } as const;
    const refused = await changeMembers(context, team, [change]);
    return refused ?? redirect(withNotice(teamPath(team.id), 'role_changed'));
  },
});

const askToRemove = defineRoute({
  ...SESSION_PAGE,
  path: '/console/teams/:team/members/:person/remove',
  summary: 'Ask before a member is removed',
  input: { params: memberRef },
  async handler(context) {
    const team = await loadTeam(context, 'manage_team');
    const { displayName, personId } = await loadMember(context, team);
    return confirmationAnswer(context, team, {
      title: `Remove ${displayName}`,
      path: `/members/${personId}/remove`,
      button: 'Remove member',
      sentences: [
        `${displayName} loses access to the team and its products immediately. Everything that ${displayName} created stays.`,
      ],
    });
  },
});

const removeMember = defineRoute({
  ...SESSION_FORM,
  path: '/console/teams/:team/members/:person/remove',
  summary: 'Remove a member from a team',
  proof: 'fresh',
  input: { params: memberRef, body: NO_FIELDS },
  async handler(context) {
    const team = await loadTeam(context, 'manage_team');
    const { personId } = await loadMember(context, team);
    const change = { personId, to: null, action: 'member.removed' } as const;
    const refused = await changeMembers(context, team, [change]);
    if (refused) return refused;
    const isSelf = personId === context.currentUser.personId;
    return redirect(
      isSelf
        ? withNotice('/console/teams', 'team_left')
        : withNotice(teamPath(team.id), 'member_removed'),
    );
  },
});

const askToLeave = defineRoute({
  ...SESSION_PAGE,
  path: '/console/teams/:team/leave',
  summary: 'Ask before a member leaves a team',
  input: { params: teamRef },
  async handler(context) {
    const team = await loadTeam(context);
    return confirmationAnswer(context, team, {
      title: 'Leave team',
      path: '/leave',
      button: 'Leave team',
      sentences: [
        'You lose access to the team and its products immediately. To come back, you need an invitation.',
      ],
    });
  },
});

const leaveTeam = defineRoute({
  ...SESSION_FORM,
  path: '/console/teams/:team/leave',
  summary: 'Leave a team',
  proof: 'fresh',
  input: { params: teamRef, body: NO_FIELDS },
  async handler(context) {
    const team = await loadTeam(context);
    const { personId } = context.currentUser;
    const change = { personId, to: null, action: 'member.left' } as const;
    const refused = await changeMembers(context, team, [change]);
    return refused ?? redirect(withNotice('/console/teams', 'team_left'));
  },
});

export const routes = [changeRole, askToRemove, removeMember, askToLeave, leaveTeam];
