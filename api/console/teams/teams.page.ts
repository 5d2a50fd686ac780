import { html } from '@prairielearn/html';
import type { TeamView } from '../../../domain/teams/team.repository.ts';
import type { View } from '../../route.ts';
import { emptyState, form } from '../../html/form.ts';
import { consoleView, teamPath } from '../console-frame.ts';

type Props = {
  teams: TeamView[];
  isVerifiedBuilder: boolean;
  token: string;
  name?: string;
  problem?: string | null;
  unread: number;
  notice?: unknown;
};

export function teamsPage(props: Props): View {
  const content = html`
    ${
      props.teams.length === 0
        ? emptyState('You are in no team. In a team several people look after the same products.')
        : html`<ul class="rows">
            ${props.teams.map(
              ({ id, name, role }) =>
                html`<li data-team="${id}">
                  <a href="${teamPath(id)}"><strong>${name}</strong></a>
                  <small class="muted">${role}</small>
                </li>`,
            )}
          </ul>`
    }
    <section class="slim">
      <h2>Found a team</h2>
      ${
        props.isVerifiedBuilder
          ? form({
              action: '/console/teams',
              token: props.token,
              button: 'Found the team',
              fields: [
                {
                  label: 'Name of the team',
                  name: 'name',
                  value: props.name ?? '',
                  hint: 'Buyers see it as the seller of its products.',
                  problem: props.problem,
                },
              ],
            })
          : emptyState(
              'Only a verified builder founds a team, because its members act on that verification.',
              { path: '/console/verification', label: 'Ask to be verified' },
            )
      }
    </section>
  `;
  const { notice, unread } = props;
  return consoleView({ title: 'Teams', content, notice, unread }, '/console/teams');
}
