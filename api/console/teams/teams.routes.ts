import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import { validateTeamName } from '../../../domain/teams/team-name.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { foundTeam, listTeamsOf } from '../../../domain/teams/team.repository.ts';
import type { CurrentUser } from '../../../domain/identity/current-user.repository.ts';
import { page, redirect } from '../../http/response.ts';
import { text } from '../../http/fields.ts';
import { explain } from '../../account/field-problems.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, type RouteContext, type HttpResponse } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { teamPath } from '../console-frame.ts';
import { actorOf } from '../managed-product.ts';
import { unreadOf } from '../notifications/unread.ts';
import { teamsPage } from './teams.page.ts';
import { FORM_ERRORS } from '../../http/errors.ts';

type BuilderCall = RouteContext & { currentUser: CurrentUser };

const PATH = '/console/teams';

const REFUSALS = {
  not_verified: 'Only verified builders can create teams.',
  too_many: 'You already own 20 teams.',
};

const showTeams = defineRoute({
  method: 'GET',
  path: PATH,
  summary: 'List teams',
  credential: 'session',
  limit: null,
  input: {},
  statuses: [200, 303],
  errors: ['unavailable'],
  handler: (context) => show(context),
});

const createTeam = defineRoute({
  method: 'POST',
  path: PATH,
  summary: 'Create a team',
  proof: 'none',
  credential: 'session',
  limit: 'settings',
  input: { body: { kind: 'form', shape: z.object({ name: text(80) }) } },
  statuses: [303, 422],
  errors: FORM_ERRORS,
  async handler(context) {
    const { value: name, problem } = validateTeamName(context.body.name);
    if (problem) return show(context, { name, problem: explain(problem) });
    const ownerId = context.currentUser.personId;
    const founded = await context.services.database.transaction(async (em) => {
      const made = await foundTeam(em, { name, ownerId });
      if (isRefusal(made)) return made;
      const { teamId } = made;
      const entry = { by: actorOf(context), teamId, subject: teamId };
      await recordAudit(em, { ...entry, action: 'team.founded', detail: { name } });
      return made;
    });
    if (isRefusal(founded)) return show(context, { name, problem: REFUSALS[founded.refused] });
    return redirect(withNotice(teamPath(founded.teamId), 'team_founded'));
  },
});

type Said = { name?: string; problem?: string | null };

async function show(context: BuilderCall, said: Said = {}): Promise<HttpResponse> {
  const { personId, isVerifiedBuilder } = context.currentUser;
  const teams = await listTeamsOf(context.services.database.em(), personId);
  const unread = await unreadOf(context);
  const token = sessionFormToken(context);
  const view = teamsPage({ teams, isVerifiedBuilder, token, unread, ...said });
  return page(context, view, said.problem ? { status: 422 } : {});
}

export const routes = [showTeams, createTeam];
