import { html } from '@prairielearn/html';
import type { TeamView } from '../../../domain/teams/team.repository.ts';
import type { View } from '../../http/route.ts';
import { emptyState } from '../../html/parts/empty-state.ts';
import { form, formFields, type Draft } from '../../html/form.ts';
import { avatar } from '../../html/parts/avatar.ts';
import { card } from '../../html/parts/card.ts';
import { pill } from '../../html/parts/pill.ts';
import { sentenceCase } from '../../html/sentence-case.ts';
import { named } from '../../html/parts/named.ts';
import { teamPath } from '../console-frame.ts';
import type { ConsoleScope } from '../console-scope.ts';
import { consoleView } from '../team-frame.ts';

type Props = {
  scope: ConsoleScope;
  isVerifiedBuilder: boolean;
  token: string;
  draft?: Draft<'name'> | undefined;
};

export function teamsPage(props: Props): View {
  const { scope, isVerifiedBuilder } = props;
  const { teams } = scope;
  const content = html`
    ${
      teams.length === 0
        ? isVerifiedBuilder
          ? emptyState({
              title: 'No teams yet',
              sentence: 'In a team, several people manage the same products.',
            })
          : emptyState({
              title: 'No teams yet',
              sentence:
                'Only verified makers can create teams, because team members rely on that verification. You join a team by the link in an invitation.',
              link: { path: '/console/verification', label: 'Request verification' },
            })
        : card({ rows: teamList(teams) })
    }
    ${teams.length > 0 && !isVerifiedBuilder ? ONLY_VERIFIED : ''}
    ${isVerifiedBuilder ? creation(props) : ''}
  `;
  return consoleView({ title: 'Teams', content, scope }, '/console/teams');
}

const ONLY_VERIFIED = html`<p class="hint">
  Only verified makers can create teams, because team members rely on that verification.
  <a href="/console/verification">Request verification</a>
</p>`;

function teamList(teams: readonly TeamView[]) {
  return html`<ul class="rows">
    ${teams.map(
      ({ id, name, role, isSuspended }) =>
        html`<li data-team="${id}">
          ${named({ mark: avatar(name), name: html`<a href="${teamPath(id)}">${name}</a>` })}
          <span>
            ${isSuspended ? pill({ word: 'Suspended', tone: 'bad' }) : ''}
            ${pill({ word: sentenceCase(role), tone: 'neutral' })}
          </span>
        </li>`,
    )}
  </ul>`;
}

function creation({ token, draft }: Props) {
  const fields = formFields(draft);
  return html`<div class="slim">
    ${card({
      title: 'Create a team',
      body: form({
        action: '/console/teams',
        token,
        button: 'Create team',
        isMain: true,
        fields: [
          fields('name', { label: 'Team name', hint: 'Buyers see this name as the maker.' }),
        ],
      }),
    })}
  </div>`;
}
