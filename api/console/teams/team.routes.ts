import { listInvitations } from '../../../domain/teams/invitation.repository.ts';
import { listMembers } from '../../../domain/teams/member.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { validateTeamName } from '../../../domain/teams/team-name.ts';
import { changeTeamName } from '../../../domain/teams/rename-team.command.ts';
import { page, redirect } from '../../http/response.ts';
import { HttpError } from '../../http/errors.ts';
import { text, formBody } from '../../http/fields.ts';
import { explain } from '../../account/field-problems.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, SESSION_FORM, SESSION_PAGE } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { teamPath } from '../console-frame.ts';
import { auditEntryIn, loadTeam, teamRef, type ShownTeam, type TeamCall } from './managed-team.ts';
import { teamPage, type TeamProps } from './team.page.ts';
import { teamSettingsPage } from './team-settings.page.ts';
import type { Draft } from '../../html/form.ts';

const showTeam = defineRoute({
  ...SESSION_PAGE,
  path: '/console/teams/:team',
  summary: 'Show a team',
  input: { params: teamRef },
  handler: async (context) => answerTeam(context, { team: await loadTeam(context) }),
});

const showSettings = defineRoute({
  ...SESSION_PAGE,
  path: '/console/teams/:team/settings',
  summary: 'Show the settings of a team',
  input: { params: teamRef },
  handler: async (context) => answerSettings(context, await loadTeam(context)),
});

const rename = defineRoute({
  ...SESSION_FORM,
  path: '/console/teams/:team/rename',
  summary: 'Rename a team',
  proof: 'none',
  input: { params: teamRef, body: formBody({ name: text(80) }) },
  async handler(context) {
    const team = await loadTeam(context, 'manage_team');
    const { value, problem } = validateTeamName(context.body.name);
    if (problem) {
      const name = { typed: { name: value }, problems: { name: explain(problem) } };
      return answerSettings(context, team, name);
    }
    const em = context.services.database.em();
    const renamed = await changeTeamName(em, { ...auditEntryIn(context, team), name: value });
    if (isRefusal(renamed)) throw new HttpError('not_found');
    return redirect(withNotice(`${teamPath(team.id)}/settings`, 'team_renamed'));
  },
});

function answerSettings(context: TeamCall, team: ShownTeam, name?: Draft<'name'>) {
  const view = teamSettingsPage({ team, token: sessionFormToken(context), name });
  return page(context, view, name ? { status: 422 } : {});
}

type TeamPageState = Pick<TeamProps, 'problem' | 'draft'>;

/** The team's page; a refused form shows it again with the validation messages. */
export async function answerTeam(
  context: TeamCall,
  { team, ...said }: TeamPageState & { team: ShownTeam },
) {
  const em = context.services.database.em();
  const view = teamPage({
    team,
    personId: context.currentUser.personId,
    members: await listMembers(em, team.id),
    invitations: await listInvitations(em, team.id),
    token: sessionFormToken(context),
    ...said,
  });
  const isRefused = Boolean(said.problem ?? said.draft);
  return page(context, view, isRefused ? { status: 422 } : {});
}

export const routes = [showTeam, showSettings, rename];
