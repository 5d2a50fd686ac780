import { html } from '@prairielearn/html';
import {
  PERMISSIONS,
  ROLES,
  PRODUCT_ROLES,
  type ProductRole,
} from '../../../domain/teams/permissions.ts';
import type { View } from '../../route.ts';
import { table } from '../../html/table.ts';
import { consoleView } from '../console-frame.ts';

type Permission = (typeof PERMISSIONS)[keyof typeof PERMISSIONS];

/** The table that decides, as it stands. */
export function rolesPage(unread: number): View {
  const roles = ROLES.map((role) => html`<strong>${role}</strong>`);
  const content = html`
    <p>
      A team's members have one role each:
      ${roles.map((role, at) => html`${at ? ', ' : ''}${role}`)}. A lone builder is somebody with a
      product of their own; verified, once an operator has approved them.
    </p>
    ${table({
      label: 'Who may do what',
      columns: [
        { heading: 'What', cell: ({ what }: Permission) => what },
        { heading: 'Who', cell: ({ roles }) => words(roles) },
      ],
      rows: Object.values(PERMISSIONS),
      empty: '',
    })}
  `;
  return consoleView({ title: 'Roles', content, unread }, '/console/roles');
}

function words(roles: readonly ProductRole[]): string {
  return PRODUCT_ROLES.filter((role) => roles.includes(role))
    .map((role) => role.replaceAll('_', ' '))
    .join(', ');
}
