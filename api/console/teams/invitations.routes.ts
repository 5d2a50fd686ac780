import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import { validateEmail } from '../../../domain/identity/person-fields.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import {
  invite,
  withdrawInvitation,
  type InvitationRefusal,
} from '../../../domain/teams/invitation.repository.ts';
import { resendInvitation } from '../../../domain/teams/resend-invitation.command.ts';
import { ROLES, type Role } from '../../../domain/teams/permissions.ts';
import { redirect } from '../../http/response.ts';
import { HttpError } from '../../http/errors.ts';
import { given, text, formBody, NO_FIELDS } from '../../http/fields.ts';
import { explain } from '../../account/field-problems.ts';
import { defineRoute, SESSION_FORM } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { teamPath } from '../console-frame.ts';
import { auditEntryIn, loadTeam, teamRef, type ShownTeam, type TeamCall } from './managed-team.ts';
import { givesRights } from './member-change.ts';
import { answerTeam } from './team.routes.ts';

const REFUSALS: Record<Exclude<InvitationRefusal, 'not_allowed'>, string> = {
  revoked:
    'Your verification was revoked, so you cannot invite owners. Request verification again under Verified maker.',
  too_many_open: 'There are already 20 open invitations. Revoke one first.',
  too_many_mails: 'You sent too many invitations. Try again in an hour.',
};
const NOT_ALLOWED =
  'Your role does not allow this. Only an owner can invite owners and finance members.';

const invitationRef = teamRef.extend({ invitation: given(36) });

/** Answers the same whether or not the address has an account. */
const sendInvitation = defineRoute({
  ...SESSION_FORM,
  path: '/console/teams/:team/invitations',
  summary: 'Send an invitation',
  proof: givesRights,
  input: { params: teamRef, body: formBody({ email: text(254), role: z.enum(ROLES) }) },
  async handler(context) {
    const { role } = context.body;
    const team = await loadTeam(context, 'manage_team');
    const { value: address, problem } = validateEmail(context.body.email);
    const refused = problem ? explain(problem) : await send(context, { team, address, role });
    if (refused !== null) {
      return answerTeam(context, {
        team,
        draft: { typed: { email: address, role }, problems: { email: refused } },
      });
    }
    return redirect(withNotice(teamPath(team.id), 'invitation_sent'));
  },
});

type NewInvitation = { team: ShownTeam; address: string; role: Role };

/** Why it was not sent, or null. */
async function send(
  context: TeamCall,
  { team, address, role }: NewInvitation,
): Promise<string | null> {
  const { database } = context.services;
  const sent = await database.transaction(async (em) => {
    const byId = context.currentUser.personId;
    const made = await invite(
      { em, pool: database.pool },
      { teamId: team.id, byId, address, role },
    );
    if (isRefusal(made)) return made;
    const entry = { ...auditEntryIn(context, team), subject: made.invitationId, detail: { role } };
    await recordAudit(em, { ...entry, action: 'invitation.sent' });
    return made;
  });
  if (!isRefusal(sent)) return null;
  if (sent.refused !== 'not_allowed') return REFUSALS[sent.refused];
  throw new HttpError('forbidden', { message: NOT_ALLOWED });
}

const resend = defineRoute({
  ...SESSION_FORM,
  path: '/console/teams/:team/invitations/:invitation/resend',
  summary: 'Send an invitation again',
  proof: 'fresh',
  input: { params: invitationRef, body: NO_FIELDS },
  async handler(context) {
    const { services, params, currentUser, ctx } = context;
    const team = await loadTeam(context, 'manage_team');
    const { database } = services;
    const by = { personId: currentUser.personId, ip: ctx.ip };
    const sent = await resendInvitation(
      { em: database.em(), pool: database.pool },
      { teamId: team.id, invitationId: params.invitation, by },
    );
    if (!isRefusal(sent)) return redirect(withNotice(teamPath(team.id), 'invitation_resent'));
    if (sent.refused === 'not_open') throw new HttpError('not_found');
    if (sent.refused === 'not_allowed') throw new HttpError('forbidden', { message: NOT_ALLOWED });
    return answerTeam(context, { team, problem: REFUSALS[sent.refused] });
  },
});

const takeInvitationBack = defineRoute({
  ...SESSION_FORM,
  path: '/console/teams/:team/invitations/:invitation/withdraw',
  summary: 'Revoke an invitation',
  proof: 'none',
  input: { params: invitationRef, body: NO_FIELDS },
  async handler(context) {
    const { services, params, currentUser } = context;
    const team = await loadTeam(context, 'manage_team');
    const invitationId = params.invitation;
    const withdrawal = { teamId: team.id, byId: currentUser.personId, invitationId };
    const withdrawn = await services.database.transaction(async (em) => {
      const done = await withdrawInvitation(em, withdrawal);
      if (isRefusal(done)) return done;
      const detail = { role: done.role };
      const entry = { ...auditEntryIn(context, team), subject: invitationId, detail };
      await recordAudit(em, { ...entry, action: 'invitation.withdrawn' });
      return done;
    });
    if (!isRefusal(withdrawn)) {
      return redirect(withNotice(teamPath(team.id), 'invitation_withdrawn'));
    }
    if (withdrawn.refused === 'not_open') throw new HttpError('not_found');
    throw new HttpError('forbidden', { message: NOT_ALLOWED });
  },
});

export const routes = [sendInvitation, resend, takeInvitationBack];
