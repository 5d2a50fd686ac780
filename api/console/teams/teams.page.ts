import { html } from '@prairielearn/html';
import type { TeamView } from '../../../domain/teams/team.repository.ts';
import type { View } from '../../http/route.ts';
import { emptyState, form, formFields, type Draft } from '../../html/form.ts';
import { sentenceCase } from '../../html/status-labels.ts';
import { consoleView, teamPath } from '../console-frame.ts';

type Props = {
  teams: TeamView[];
  isVerifiedBuilder: boolean;
  token: string;
  draft?: Draft<'name'> | undefined;
  unread: number;
};

export function teamsPage(props: Props): View {
  const fields = formFields(props.draft);
  const content = html`
    ${
      props.teams.length === 0
        ? emptyState('No teams yet. In a team, several people manage the same products.')
        : html`<ul class="rows">
            ${props.teams.map(
              ({ id, name, role }) =>
                html`<li data-team="${id}">
                  <a href="${teamPath(id)}"><strong>${name}</strong></a>
                  <small class="muted">${sentenceCase(role)}</small>
                </li>`,
            )}
          </ul>`
    }
    <section class="slim">
      <h2>Create team</h2>
      ${
        props.isVerifiedBuilder
          ? form({
              action: '/console/teams',
              token: props.token,
              button: 'Create team',
              isMain: true,
              fields: [
                fields('name', {
                  label: 'Team name',
                  hint: 'Buyers see this name as the seller.',
                }),
              ],
            })
          : emptyState(
              'Only verified builders can create teams, because team members rely on that verification.',
              { path: '/console/verification', label: 'Request verification' },
            )
      }
    </section>
  `;
  const { unread } = props;
  return consoleView({ title: 'Teams', content, unread }, '/console/teams');
}
