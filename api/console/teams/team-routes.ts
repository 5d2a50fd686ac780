// Teams, their members and how one becomes a member, in one list.
import type { Route } from '../../http/route.ts';
import { showTeamAudit } from './audit.routes.ts';
import { showTeamUsage } from '../usage/team-usage.routes.ts';
import { accept, showInvitation } from './acceptance.routes.ts';
import { sendInvitation, takeInvitationBack } from './invitations.routes.ts';
import { askToLeave, askToRemove, changeRole, leaveTeam, removeMember } from './members.routes.ts';
import { askToDeleteTeam, askToMakeOwner, makeOwner, removeTeam } from './ownership.routes.ts';
import { rename, showTeam } from './team.routes.ts';
import { createTeam, showTeams } from './teams.routes.ts';

export const teamConsole: readonly Route[] = [
  showTeams,
  createTeam,
  showTeam,
  rename,
  showTeamAudit,
  showTeamUsage,
  changeRole,
  askToRemove,
  removeMember,
  askToLeave,
  leaveTeam,
  askToMakeOwner,
  makeOwner,
  askToDeleteTeam,
  removeTeam,
  sendInvitation,
  takeInvitationBack,
  showInvitation,
  accept,
];
