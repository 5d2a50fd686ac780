import type { Invitation } from '../../domain/teams/accept-invitation.repository.ts';
import { isPlainName } from '../../domain/identity/person-fields.ts';
import { isolate, renderMail, type MailText } from './mail-template.ts';

/**
 * The address may have no account: the link names the invitation and opens nothing. Odd names stand
 * on its page alone: what a mail program makes a link of is a stranger's.
 */
export function composeInvitation(
  { id, teamName, inviterName, role }: Pick<Invitation, 'id' | 'teamName' | 'inviterName' | 'role'>,
  baseUrl: string,
): MailText {
  const inviter = isPlainName(inviterName) ? isolate(inviterName) : 'A member';
  const team = isPlainName(teamName) ? `the team ${isolate(teamName)}` : 'a team';
  return renderMail({
    subject: 'An invitation to a team on Gatehouse',
    greeting: 'Hello,',
    lines: [
      `${inviter} invited you to ${team} on Gatehouse as ${role}.`,
      "Sign in or sign up with this email address to accept. The invitation works only for this address and expires after 7 days. If you don't know the team, ignore this email.",
    ],
    link: `${baseUrl}/team-invitations/${id}`,
    button: 'View invitation',
    reason: 'You get this email because a team on Gatehouse invited this address.',
  });
}
