import test from 'ava';
import {
  isAllowed,
  mayChangeRole,
  PERMISSIONS,
  ROLES,
  type Action,
  type Role,
} from '../../../domain/teams/permissions.ts';

const COLUMNS = [...ROLES, 'lone_builder', 'verified_lone_builder', 'operator'] as const;

/** Who may do what, column by column. */
const TABLE: Record<Action, string> = {
  //                owner admin developer finance viewer lone verified operator
  see: 'x x x x x x x x',
  see_payloads: 'x x x x - x x x',
  integrate: 'x x x - - - x -',
  try_out: 'x x x - - x x -',
  edit_listing: 'x x x - - x x x',
  price: 'x x - - - - x -',
  list: 'x x - - - - x x',
  refund: 'x x - x - - x -',
  see_statements: 'x x - x - - x x',
  connect_payouts: 'x - - x - - x -',
  grant: 'x x - - - - x x',
  manage_team: 'x x - - - - - -',
  manage_owners: 'x - - - - - - -',
  delete_team: 'x - - - - - - -',
  answer_for_sales: 'x - - x - - x -',
  transfer: 'x - - - - x x -',
  take_over: 'x x - - - - - -',
  remove_product: 'x - - - - x x x',
  run_platform: '- - - - - - - x',
};

for (const [action, line] of Object.entries(TABLE) as [Action, string][]) {
  test(`may ${PERMISSIONS[action].what}: ${action}`, (t) => {
    const actual = COLUMNS.map((role) => (isAllowed([role], action) ? 'x' : '-'));
    t.is(actual.join(' '), line);
  });
}

test('nobody without a standing may do anything, and several standings add up', (t) => {
  for (const action of Object.keys(PERMISSIONS) as Action[]) t.false(isAllowed([], action));
  t.true(isAllowed(['viewer', 'operator'], 'list'));
});

/** Whose role each role gives, changes and takes. */
const CHANGES: Record<Role, string> = {
  //         owner admin developer finance viewer
  owner: 'x x x x x',
  admin: '- x x - x',
  developer: '- - - - -',
  finance: '- - - - -',
  viewer: '- - - - -',
};

test('a role is given and taken only by a role that has all of its rights', (t) => {
  for (const by of ROLES) {
    const columns = (may: (other: Role) => boolean) =>
      ROLES.map((other) => (may(other) ? 'x' : '-')).join(' ');
    const invites = columns((other) => mayChangeRole({ by, from: null, to: other }));
    const removes = columns((other) => mayChangeRole({ by, from: other, to: null }));
    const changes = columns((other) => mayChangeRole({ by, from: other, to: 'viewer' }));
    for (const may of [invites, removes, changes]) t.is(may, CHANGES[by], by);
  }
});

test('owners alone give and take the roles of owner and finance', (t) => {
  for (const by of ROLES) {
    for (const role of ['owner', 'finance'] as const) {
      t.is(mayChangeRole({ by, from: null, to: role }), by === 'owner');
      t.is(mayChangeRole({ by, from: role, to: null }), by === 'owner');
    }
  }
});

test('an admin invites, changes and removes everybody but owners and finance members', (t) => {
  for (const by of ROLES) {
    t.is(mayChangeRole({ by, from: null, to: 'viewer' }), by === 'owner' || by === 'admin');
    t.is(mayChangeRole({ by, from: 'admin', to: null }), by === 'owner' || by === 'admin');
    t.is(mayChangeRole({ by, from: null, to: 'owner' }), by === 'owner');
    t.is(mayChangeRole({ by, from: 'owner', to: 'viewer' }), by === 'owner');
  }
});
