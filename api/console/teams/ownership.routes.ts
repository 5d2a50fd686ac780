import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import { deleteTeam } from '../../../domain/catalog/owner.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { redirect } from '../../http/response.ts';
import { HttpError } from '../../http/errors.ts';
import { defineRoute, SESSION_FORM, SESSION_PAGE } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { teamPath } from '../console-frame.ts';
import { auditEntryIn, loadTeam, teamRef } from './managed-team.ts';
import { changeMembers, confirmationAnswer, loadMember, memberRef } from './member-change.ts';
import { answerTeam } from './team.routes.ts';
import { formBody, NO_FIELDS } from '../../http/fields.ts';

const STAY = { value: 'stay', label: 'Owner' };
const STEP_DOWN = { value: 'step_down', label: 'Admin' };

const askToMakeOwner = defineRoute({
  ...SESSION_PAGE,
  path: '/console/teams/:team/members/:person/owner',
  summary: 'Ask before a member becomes an owner',
  input: { params: memberRef },
  async handler(context) {
    const team = await loadTeam(context, 'manage_owners');
    const { displayName, personId } = await loadMember(context, team);
    return confirmationAnswer(context, team, {
      title: `Make ${displayName} an owner`,
      path: `/members/${personId}/owner`,
      button: 'Make owner',
      sentences: [
        'Owners can do everything, including removing you, transferring products, connecting a payout account and deleting the team.',
      ],
      fields: [
        {
          label: 'Your role afterwards',
          name: 'afterwards',
          options: [STAY, STEP_DOWN],
          value: STAY.value,
        },
      ],
    });
  },
});

const makeOwner = defineRoute({
  ...SESSION_FORM,
  path: '/console/teams/:team/members/:person/owner',
  summary: 'Make a member an owner',
  proof: 'fresh',
  input: {
    params: memberRef,
    body: formBody({ afterwards: z.enum([STAY.value, STEP_DOWN.value]) }),
  },
  async handler(context) {
    const team = await loadTeam(context, 'manage_owners');
    const member = await loadMember(context, team);
    const me = context.currentUser.personId;
    const isSteppingDown = context.body.afterwards === STEP_DOWN.value && member.personId !== me;
    const action = 'member.role_changed' as const;
    const rise = { personId: member.personId, to: 'owner', action } as const;
    const descent = { personId: me, to: 'admin', action } as const;
    const changes = isSteppingDown ? [rise, descent] : [rise];
    const refused = await changeMembers(context, team, changes);
    return refused ?? redirect(withNotice(teamPath(team.id), 'owner_made'));
  },
});

const askToDeleteTeam = defineRoute({
  ...SESSION_PAGE,
  path: '/console/teams/:team/delete',
  summary: 'Ask before a team is deleted',
  input: { params: teamRef },
  async handler(context) {
    const team = await loadTeam(context, 'delete_team');
    return confirmationAnswer(context, team, {
      title: 'Delete team',
      path: '/delete',
      button: 'Delete team',
      sentences: [
        "Members lose access, and open invitations are revoked. This can't be undone.",
        'Transfer or remove all products of the team before you delete it.',
      ],
    });
  },
});

const HAS_PRODUCTS = 'The team still has products. Transfer or remove them first.';

const removeTeam = defineRoute({
  ...SESSION_FORM,
  path: '/console/teams/:team/delete',
  summary: 'Delete a team',
  proof: 'fresh',
  input: { params: teamRef, body: NO_FIELDS },
  async handler(context) {
    const team = await loadTeam(context, 'delete_team');
    const teamId = team.id;
    const deleted = await context.services.database.transaction(async (em) => {
      const done = await deleteTeam(em, { teamId, byId: context.currentUser.personId });
      if (isRefusal(done)) return done;
      const detail = { name: team.name };
      const entry = { ...auditEntryIn(context, team), subject: teamId, detail };
      await recordAudit(em, { ...entry, action: 'team.deleted' });
      return done;
    });
    if (!isRefusal(deleted)) return redirect(withNotice('/console/teams', 'team_deleted'));
    if (deleted.refused === 'not_allowed') throw new HttpError('not_found');
    return answerTeam(context, { team, problem: HAS_PRODUCTS });
  },
});

export const routes = [askToMakeOwner, makeOwner, askToDeleteTeam, removeTeam];
