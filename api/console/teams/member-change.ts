// The parts that the routes of members share.
import { html } from '@prairielearn/html';
import type { AuditAction } from '../../../domain/audit/audit-actions.ts';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import { mailOwners } from '../../../domain/notifications/recipients.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { parseUuid } from '../../../domain/shared/ids.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import {
  changeMember,
  listMembers,
  type MemberRefusal,
  type MemberView,
} from '../../../domain/teams/member.repository.ts';
import type { Role } from '../../../domain/teams/permissions.ts';
import { page } from '../../http/response.ts';
import { HttpError } from '../../http/errors.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { confirmation } from '../../html/parts/confirmation.ts';
import { teamPath } from '../console-frame.ts';
import { teamFrame } from '../team-frame.ts';
import { auditEntryIn, teamRef, type ShownTeam, type TeamCall } from './managed-team.ts';
import { answerTeam } from './team.routes.ts';
import { given } from '../../http/fields.ts';

/**
 * Every role except viewer may refund or read secrets, so granting one requires re-authentication.
 */
export const givesRights = ({ role }: { role: Role }): boolean => role !== 'viewer';

export const memberRef = teamRef.extend({ person: given(36) });

/** Loads the member; 404 for a person outside the team. */
export async function loadMember(
  { services, params }: TeamCall & { params: { person: string } },
  { id }: ShownTeam,
): Promise<MemberView> {
  const personId = parseUuid(params.person);
  const members = await listMembers(services.database.em(), id);
  const member = members.find((each) => each.personId === personId);
  if (!member) throw new HttpError('not_found');
  return member;
}

type Change = {
  personId: string;
  /** Is null to end the membership. */
  to: Role | null;
  action: AuditAction & `member.${string}`;
};

/**
 * Changes members in one transaction, each with its audit entry. Returns null, or the page with the
 * reason of a refusal. A second submission changes nothing.
 */
export async function changeMembers(
  context: TeamCall,
  team: ShownTeam,
  changes: readonly Change[],
) {
  const refused = await context.services.database.transaction(async (em) => {
    for (const change of changes) {
      const done = await changeAndRecord(em, context, { team, ...change });
      if (isRefusal(done)) return done;
    }
    return null;
  });
  return refused && refuseChange(context, team, refused.refused);
}

async function changeAndRecord(
  em: EntityManager,
  context: TeamCall,
  { team, personId, to, action }: Change & { team: ShownTeam },
) {
  const change = { teamId: team.id, byId: context.currentUser.personId, personId, to };
  const done = await changeMember(em, change);
  if (isRefusal(done) || done.from === to) return done;
  const detail = to === null ? { role: done.from } : { from: done.from, to };
  await recordAudit(em, { ...auditEntryIn(context, team), subject: personId, action, detail });
  if (to === 'owner') await mailOwners(em, 'owner_added', { teamId: team.id });
  return done;
}

const NOT_ALLOWED =
  'Your role does not allow this. Only an owner can change owners and finance members.';

const PROBLEMS = {
  last_owner: 'A team needs an owner. Make another member an owner first.',
  revoked:
    'The verification of this person was revoked, so they cannot become an owner. They can request it again.',
  giver_revoked:
    'Your verification was revoked, so you cannot make anybody an owner. Request verification again under Verified maker.',
};

/** Shows the page again with the reason. */
async function refuseChange(context: TeamCall, team: ShownTeam, refused: MemberRefusal) {
  if (refused === 'not_allowed') throw new HttpError('forbidden', { message: NOT_ALLOWED });
  if (refused === 'not_a_member') throw new HttpError('not_found');
  return answerTeam(context, { team, problem: PROBLEMS[refused] });
}

type Question = {
  title: string;
  /** The path below the team's own. */
  path: string;
  button: string;
  sentences: string[];
  fields?: Parameters<typeof confirmation>[0]['fields'];
};

export function confirmationAnswer(context: TeamCall, team: ShownTeam, question: Question) {
  const { title, path, button, sentences, fields = [] } = question;
  const cameFrom = path === '/leave' || path === '/delete' ? '/settings' : '';
  const content = html`
    <div class="slim">
      ${confirmation({
        action: teamPath(team.id) + path,
        token: sessionFormToken(context),
        button,
        sentences,
        fields,
        wayOut: { path: teamPath(team.id) + cameFrom, label: 'Cancel' },
      })}
    </div>
  `;
  const frame = teamFrame(team, cameFrom, title);
  return page(context, { title: `${title}: ${team.name}`, ...frame, content });
}
