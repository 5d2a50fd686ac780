import { inTransaction } from '../../platform/database/database.ts';
import { recordAudit, type Actor } from '../audit/audit.repository.ts';
import type { ThrottledWork } from '../limits/throttle.repository.ts';
import { isRefusal, refuse, type Refusal } from '../shared/refusal.ts';
import { invite, listInvitations, type InvitationRefusal } from './invitation.repository.ts';
import { lockTeam } from './team.repository.ts';

type Resending = {
  teamId: string;
  invitationId: string;
  by: { personId: string; ip: Actor['ip'] };
};

/**
 * Replaces an invitation that nobody accepted, expired or not, by a new one to the same address and
 * role, with a mail of its own. It counts like every other invitation.
 */
export async function resendInvitation(
  { em, pool }: ThrottledWork,
  { teamId, invitationId, by }: Resending,
): Promise<{ invitationId: string } | Refusal<InvitationRefusal | 'not_open'>> {
  return inTransaction(em, async (em) => {
    const { personId: byId } = by;
    // An acceptance, a revocation and a second press of the button wait here for each other.
    await lockTeam(em, { teamId, personId: byId });
    const open = await listInvitations(em, teamId);
    const before = open.find(({ id }) => id === invitationId);
    if (before === undefined) return refuse('not_open');
    const { address, role } = before;
    const made = await invite({ em, pool }, { teamId, byId, address, role });
    if (isRefusal(made)) return made;
    const subject = made.invitationId;
    const detail = { role };
    await recordAudit(em, { by, teamId, subject, action: 'invitation.resent', detail });
    return made;
  });
}
