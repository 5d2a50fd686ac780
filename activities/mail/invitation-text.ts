import type { Invitation } from '../../domain/teams/acceptance.repository.ts';
import { renderMail, type MailText } from './mail-text.ts';

/** Goes to an address that may have no account: its link names the invitation and opens nothing. */
export function composeInvitation(
  { id, teamName, inviterName, role }: Invitation,
  baseUrl: string,
): MailText {
  return renderMail({
    subject: `An invitation to the team ${teamName}`,
    greeting: 'Hello,',
    lines: [
      `${inviterName} invites you to the team ${teamName} at Gatehouse, as ${role}.`,
      'Sign in, or sign up, with this address and confirm it: the invitation is for this address alone. It is open for 7 days. If you know nothing of it, leave it alone.',
    ],
    link: `${baseUrl}/team-invitations/${id}`,
    button: 'See the invitation',
  });
}
