import { html } from '@prairielearn/html';
import {
  PERMISSIONS,
  ROLES,
  PRODUCT_ROLES,
  type ProductRole,
} from '../../../domain/teams/permissions.ts';
import type { View } from '../../http/route.ts';
import { table } from '../../html/table.ts';
import { sentenceCase } from '../../html/status-labels.ts';
import { consoleView, describeRoles } from '../console-frame.ts';

type Permission = (typeof PERMISSIONS)[keyof typeof PERMISSIONS];

/** The table of permissions. */
export function rolesPage(unread: number): View {
  const roles = ROLES.map((role) => html`<strong>${role}</strong>`);
  const content = html`
    <p>
      Each team member has one role: ${roles.map((role, at) => html`${at ? ', ' : ''}${role}`)}. An
      unverified builder can own products without a team. An operator can verify the builder.
    </p>
    ${table({
      label: 'Permissions',
      columns: {
        Permission: ({ what }: Permission) => sentenceCase(what),
        Roles: ({ roles }) => words(roles),
      },
      rows: Object.values(PERMISSIONS),
      empty: '',
    })}
  `;
  return consoleView({ title: 'Roles', content, unread }, '/console/roles');
}

function words(roles: readonly ProductRole[]): string {
  return sentenceCase(describeRoles(PRODUCT_ROLES.filter((role) => roles.includes(role))));
}
