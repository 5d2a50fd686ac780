import { html } from '@prairielearn/html';
import { isAllowed } from '../../../domain/teams/permissions.ts';
import type { View } from '../../http/route.ts';
import { form, formFields, type Draft } from '../../html/form.ts';
import { halves } from '../../html/parts/beside.ts';
import { card } from '../../html/parts/card.ts';
import { needs, type Need } from '../../html/parts/needs.ts';
import { teamPath } from '../console-frame.ts';
import { teamFrame } from '../team-frame.ts';
import type { ShownTeam } from './managed-team.ts';

type Props = { team: ShownTeam; token: string; name?: Draft<'name'> | undefined };

export function teamSettingsPage({ team, token, name }: Props): View {
  const fields = formFields(name, { name: team.name });
  return {
    title: `Settings of ${team.name}`,
    ...teamFrame(team, '/settings', 'Settings'),
    content: halves(html`
      ${
        isAllowed([team.role], 'manage_team')
          ? card({
              title: 'Name',
              body: form({
                action: `${teamPath(team.id)}/rename`,
                token,
                button: 'Rename team',
                isMain: true,
                fields: [
                  fields('name', {
                    label: 'Team name',
                    hint: 'Buyers see this name as the maker.',
                  }),
                ],
              }),
            })
          : ''
      }
      ${card({ title: 'Leave or delete', rows: needs(ways(team)) })}
    `),
  };
}

function ways({ id, role }: ShownTeam): Need[] {
  const leave: Need = {
    tone: 'plain',
    icon: 'log-out',
    title: 'Leave this team',
    line: 'You lose access to its products. A team keeps at least one owner.',
    action: { path: `${teamPath(id)}/leave`, label: 'Leave team' },
  };
  const removal: Need = {
    tone: 'plain',
    icon: 'ban',
    title: 'Delete this team',
    line: 'Only a team without products can be deleted.',
    action: { path: `${teamPath(id)}/delete`, label: 'Delete team' },
  };
  return isAllowed([role], 'delete_team') ? [leave, removal] : [leave];
}
