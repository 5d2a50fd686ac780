import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import { validateTeamName } from '../../../domain/teams/team-name.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { foundTeam } from '../../../domain/teams/team.repository.ts';
import { page, redirect } from '../../http/response.ts';
import { text, formBody } from '../../http/fields.ts';
import { explain } from '../../account/field-problems.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, type SessionContext, SESSION_PAGE, SESSION_FORM } from '../../http/route.ts';
import type { Draft } from '../../html/form.ts';
import { withNotice } from '../../html/notices.ts';
import { teamPath } from '../console-frame.ts';
import { actorOf } from '../managed-product.ts';
import { loadScope } from '../console-scope.ts';
import { teamsPage } from './teams.page.ts';

const PATH = '/console/teams';

const REFUSALS = {
  not_verified: 'Only verified makers can create teams.',
  too_many: 'You already own 20 teams.',
};

const showTeams = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'List teams',
  input: {},
  handler: (context) => show(context),
});

const createTeam = defineRoute({
  ...SESSION_FORM,
  path: PATH,
  summary: 'Create a team',
  proof: 'none',
  input: { body: formBody({ name: text(80) }) },
  async handler(context) {
    const { value: name, problem } = validateTeamName(context.body.name);
    const refuse = (reason: string | null) =>
      show(context, { typed: { name }, problems: { name: reason } });
    if (problem) return refuse(explain(problem));
    const ownerId = context.currentUser.personId;
    const founded = await context.services.database.transaction(async (em) => {
      const made = await foundTeam(em, { name, ownerId });
      if (isRefusal(made)) return made;
      const { teamId } = made;
      const entry = { by: actorOf(context), teamId, subject: teamId };
      await recordAudit(em, { ...entry, action: 'team.founded', detail: { name } });
      return made;
    });
    if (isRefusal(founded)) return refuse(REFUSALS[founded.refused]);
    return redirect(withNotice(teamPath(founded.teamId), 'team_founded'));
  },
});

async function show(context: SessionContext, draft?: Draft<'name'>) {
  const { isVerifiedBuilder } = context.currentUser;
  const scope = await loadScope(context);
  const token = sessionFormToken(context);
  const view = teamsPage({ scope, isVerifiedBuilder, token, draft });
  return page(context, view, draft ? { status: 422 } : {});
}

export const routes = [showTeams, createTeam];
