import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import { mailOwners } from '../../../domain/notifications/recipients.repository.ts';
import type { CurrentUser } from '../../../domain/identity/current-user.repository.ts';
import { parseUuid } from '../../../domain/shared/ids.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import {
  acceptInvitation,
  findInvitation,
  type Invitation,
} from '../../../domain/teams/accept-invitation.repository.ts';
import { page, redirect } from '../../http/response.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, SESSION_FORM, SESSION_PAGE, type SessionContext } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { teamPath } from '../console-frame.ts';
import { actorOf } from '../managed-product.ts';
import { acceptancePage, blockedPage, type AcceptanceBlockReason } from './acceptance.page.ts';
import { given, NO_FIELDS } from '../../http/fields.ts';

type InvitedCall = SessionContext & { params: { invitation: string } };

const PATH = '/team-invitations/:invitation';

const params = z.object({ invitation: given(36) });

/** Changes nothing: mail scanners follow links. The session that it asks for leads back here. */
const showInvitation = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'Show an invitation',
  input: { params },
  handler: (context) => show(context),
});

const accept = defineRoute({
  ...SESSION_FORM,
  path: PATH,
  summary: 'Accept an invitation',
  proof: 'fresh',
  input: { params, body: NO_FIELDS },
  async handler(context) {
    const invitation = await find(context);
    if (!invitation || findBlockReason(invitation, context.currentUser)) return show(context);
    const { id: invitationId, teamId } = invitation;
    const { personId } = context.currentUser;
    const accepted = await context.services.database.transaction(async (em) => {
      const taken = await acceptInvitation(em, { invitationId, teamId, personId });
      if (isRefusal(taken) || !taken.isNew) return taken;
      const detail = { role: taken.role };
      const entry = { by: actorOf(context), teamId, subject: personId, detail };
      await recordAudit(em, { ...entry, action: 'member.joined' });
      if (taken.role === 'owner') await mailOwners(em, 'owner_added', { teamId });
      return taken;
    });
    if (isRefusal(accepted)) {
      const { refused } = accepted;
      return show(context, refused === 'outdated' || refused === 'revoked' ? refused : null);
    }
    return redirect(withNotice(teamPath(teamId), 'team_joined'));
  },
});

async function find({ services, params }: InvitedCall): Promise<Invitation | null> {
  const id = parseUuid(params.invitation);
  return id === null ? null : findInvitation(services.database.em(), id);
}

function findBlockReason(
  invitation: Invitation,
  currentUser: CurrentUser,
): AcceptanceBlockReason | null {
  if (invitation.address.toLowerCase() !== currentUser.email.toLowerCase()) return 'not_yours';
  if (!currentUser.isEmailVerified) return 'not_confirmed';
  return invitation.state === 'open' ? null : invitation.state;
}

async function show(context: InvitedCall, refused: 'outdated' | 'revoked' | null = null) {
  const { currentUser } = context;
  const invitation = await find(context);
  const blockReason =
    refused ?? (invitation ? findBlockReason(invitation, currentUser) : 'unknown');
  if (invitation && blockReason === null) {
    return page(context, acceptancePage({ invitation, token: sessionFormToken(context) }));
  }
  const status = isForbidden(blockReason) ? 403 : 404;
  const view = blockedPage({
    blockReason: blockReason ?? 'unknown',
    email: currentUser.email,
    invitation,
  });
  return page(context, view, { status });
}

function isForbidden(blockReason: AcceptanceBlockReason | null): boolean {
  const reasons = ['not_yours', 'not_confirmed', 'outdated', 'revoked'];
  return blockReason !== null && reasons.includes(blockReason);
}

export const routes = [showInvitation, accept];
