import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import { listInvitations } from '../../../domain/teams/invitation.repository.ts';
import { listMembers } from '../../../domain/teams/member.repository.ts';
import { judgeTeamName } from '../../../domain/teams/team-name.ts';
import { renameTeam, type TeamView } from '../../../domain/teams/team.repository.ts';
import { page, redirect } from '../../response.ts';
import { HttpError } from '../../errors.ts';
import { explain, noticeQuery, text } from '../../account/fields.ts';
import { sessionFormToken } from '../../account/sessions.ts';
import { defineRoute, type Answer } from '../../route.ts';
import { withNotice } from '../../html/notices.ts';
import { teamPath } from '../console-frame.ts';
import { auditEntryIn, loadTeam, teamRef, type TeamCall } from './managed-team.ts';
import { teamPage, type TeamProps } from './team.page.ts';

export const showTeam = defineRoute({
  method: 'GET',
  path: '/console/teams/:team',
  summary: 'Show a team',
  credential: 'session',
  limit: null,
  input: { params: teamRef, query: noticeQuery },
  statuses: [200, 303],
  errors: ['not_found', 'unavailable'],
  async handler(call) {
    return answerTeam(call, { team: await loadTeam(call), notice: call.query.notice });
  },
});

export const rename = defineRoute({
  method: 'POST',
  path: '/console/teams/:team/rename',
  summary: 'Rename a team',
  credential: 'session',
  limit: 'settings',
  input: { params: teamRef, body: { kind: 'form', shape: z.object({ name: text(80) }) } },
  statuses: [303, 422],
  errors: ['invalid_request', 'unauthorized', 'forbidden', 'not_found', 'unavailable'],
  async handler(call) {
    const team = await loadTeam(call, 'manage_team');
    const { value, problem } = judgeTeamName(call.body.name);
    if (problem) {
      return answerTeam(call, { team, name: { value, problem: explain(problem) } });
    }
    const entry = { ...auditEntryIn(call, team), subject: team.id };
    await call.services.database.transaction(async (em) => {
      const renamed = await renameTeam(em, { teamId: team.id, name: value });
      if (!renamed) throw new HttpError('not_found');
      const detail = { from: renamed.before, to: value };
      await recordAudit(em, { ...entry, action: 'team.renamed', detail });
    });
    return redirect(withNotice(teamPath(team.id), 'team_renamed'));
  },
});

type Said = Pick<TeamProps, 'problem' | 'draft' | 'name' | 'notice'>;

/** The page of the team; forms that are refused show it again with what was wrong. */
export async function answerTeam(
  call: TeamCall,
  { team, ...said }: Said & { team: TeamView },
): Promise<Answer> {
  const em = call.services.database.em();
  const view = teamPage({
    team,
    personId: call.currentUser.personId,
    members: await listMembers(em, team.id),
    invitations: await listInvitations(em, team.id),
    token: sessionFormToken(call),
    ...said,
  });
  const isRefused = Boolean(said.problem ?? said.draft ?? said.name);
  return page(call, view, isRefused ? { status: 422 } : {});
}
