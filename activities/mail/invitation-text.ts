import type { Invitation } from '../../domain/teams/acceptance.repository.ts';
import { renderMail, type MailText } from './mail-text.ts';

/** The address may have no account: the link names the invitation and opens nothing. */
export function composeInvitation(
  { id, teamName, inviterName, role }: Invitation,
  baseUrl: string,
): MailText {
  return renderMail({
    subject: 'An invitation to a team on Gatehouse',
    greeting: 'Hello,',
    lines: [
      `${inviterName} invited you to the team ${teamName} on Gatehouse as ${role}.`,
      "Sign in or sign up with this email address to accept. The invitation works only for this address and expires after 7 days. If you don't know the team, ignore this email.",
    ],
    link: `${baseUrl}/team-invitations/${id}`,
    button: 'View invitation',
  });
}
