import { html } from '@prairielearn/html';
import {
  PERMISSIONS,
  ROLES,
  PRODUCT_ROLES,
  type ProductRole,
} from '../../../domain/teams/permissions.ts';
import type { View } from '../../http/route.ts';
import { icon } from '../../html/icon.ts';
import { table } from '../../html/table.ts';
import { sentenceCase } from '../../html/sentence-case.ts';
import { describeRoles } from '../console-frame.ts';
import type { ConsoleScope } from '../console-scope.ts';
import { consoleView } from '../team-frame.ts';

type Permission = (typeof PERMISSIONS)[keyof typeof PERMISSIONS];

/** The table of permissions. */
export function rolesPage(scope: ConsoleScope): View {
  const content = html`
    <p>
      Each team member has one role. A maker owns products without a team; what an unverified maker
      can do is less.
    </p>
    ${table({
      label: 'Permissions',
      columns: {
        Permission: ({ what }: Permission) => sentenceCase(what),
        ...Object.fromEntries(
          ROLES.map((role) => [sentenceCase(role), ({ roles }: Permission) => tick(roles, role)]),
        ),
        'Without a team': ({ roles }) => words(roles),
      },
      rows: Object.values(PERMISSIONS),
      empty: '',
    })}
  `;
  return consoleView({ title: 'Roles', content, scope }, '/console/roles');
}

function words(roles: readonly ProductRole[]): string {
  const others = PRODUCT_ROLES.filter((role) => !ROLES.some((each) => each === role));
  return sentenceCase(describeRoles(others.filter((role) => roles.includes(role)))) || '\u2013';
}

function tick(roles: readonly ProductRole[], role: ProductRole) {
  return roles.includes(role)
    ? html`<span class="gain">${icon('check')} Yes</span>`
    : html`<span class="muted">No</span>`;
}
