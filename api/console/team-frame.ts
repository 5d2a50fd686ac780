// The layout and navigation of pages across products, and of pages of a team.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { MOST_COUNTED } from '../../domain/notifications/notification.repository.ts';
import type { View } from '../http/route.ts';
import { icon } from '../html/icon.ts';
import { writeCapped } from '../html/numbers.ts';
import { pageHead } from '../html/parts/page-head.ts';
import { avatar } from '../html/parts/avatar.ts';
import type { Side, SideLink } from '../html/side.ts';
import { switcher, type Choice } from '../html/switcher.ts';
import { NOTIFICATIONS, teamPath, type Frame } from './console-frame.ts';
import { ME, type ConsoleScope } from './console-scope.ts';

/** The pages across products. */
type ConsolePath =
  | '/console'
  | '/console/payouts'
  | '/console/statements'
  | '/console/teams'
  | '/console/notifications'
  | '/console/roles'
  | '/console/verification'
  | '/console/new-product';

type ConsolePage = {
  title: string;
  content: HtmlSafeString;
  scope: ConsoleScope;
  /** Stands beside the title. */
  actions?: HtmlSafeString;
};

/** A page of the console itself. */
export function consoleView(
  { title, content, scope, actions }: ConsolePage,
  current: ConsolePath,
): View {
  const path = isScoped(current) ? withOwner(current, scope) : current;
  const heading = pageHead({ title, ...(actions && { actions }) });
  const side = sideOf(scope, path);
  return { title, area: 'console', section: 'console', side, heading, content };
}

type TeamPage = '' | '/usage' | '/audit' | '/settings';

/** The navigation and the title of a page of one team; null where the page is beside the navigation. */
export function teamFrame(
  { id, name, scope }: { id: string; name: string; scope: ConsoleScope },
  current: TeamPage | null,
  title: HtmlSafeString | string,
): Frame {
  const owner = { id, name };
  const side = sideOf({ ...scope, owner }, current === null ? null : teamPath(id) + current);
  return { area: 'console', section: 'console', side, heading: pageHead({ title }) };
}

function sideOf(scope: ConsoleScope, current: string | null): Side {
  const { seesMoney } = scope;
  const name = nameOf(scope);
  return {
    label: 'Console',
    name,
    mark: markOf(scope),
    groups: [
      {
        name: null,
        links: [link('/console', 'Products', 'layout-dashboard', scope)],
      },
      {
        name: 'Money',
        links: seesMoney
          ? [
              link('/console/payouts', 'Payouts', 'landmark', scope),
              link('/console/statements', 'Statements', 'file-text', scope),
            ]
          : [],
      },
      teamGroup(scope),
    ],
    last: [{ path: '/console/verification', label: 'Verified maker', icon: 'badge-check' }],
    switcher: switcher({
      mark: markOf(scope),
      name,
      line: isOfAll(scope) ? 'Yours and those of your teams' : 'All products',
      title: 'Products of',
      choices: [ownersOf(scope), MORE],
    }),
    current,
  };
}

function link(
  path: ConsolePath,
  label: string,
  name: NonNullable<SideLink['icon']>,
  scope: ConsoleScope,
): SideLink {
  return { path: withOwner(path, scope), label, icon: name };
}

/** The team of the scope, or the only one that there is. */
function teamOf({ owner, teams }: ConsoleScope) {
  if (typeof owner === 'object') return owner;
  return teams.length === 1 && owner === 'all' ? teams[0]! : null;
}

function teamGroup(scope: ConsoleScope): Side['groups'][number] {
  const team = teamOf(scope);
  const roles = { path: '/console/roles', label: 'Roles' };
  const notifications: SideLink = {
    path: NOTIFICATIONS,
    label: 'Notifications',
    icon: 'bell',
    count: scope.unread > 0 ? writeCapped(scope.unread, MOST_COUNTED) : '',
  };
  if (team === null) {
    const teams = { path: '/console/teams', label: 'Teams' };
    return {
      name: 'Team',
      links: [{ ...teams, icon: 'users', tabs: [teams, roles] }, notifications],
    };
  }
  const path = teamPath(team.id);
  const tabs = [{ path, label: 'Members' }, { path: `${path}/usage`, label: 'Usage' }, roles];
  return {
    name: team.name,
    links: [
      { path, label: 'Team', icon: 'users', tabs },
      notifications,
      { path: `${path}/audit`, label: 'Audit trail', icon: 'history' },
      { path: `${path}/settings`, label: 'Settings', icon: 'settings' },
    ],
  };
}

const MORE: readonly Choice[] = [
  { path: '/console/new-product', label: 'New product', mark: icon('plus') },
  { path: '/console/teams', label: 'Teams', mark: icon('users') },
];

function ownersOf(scope: ConsoleScope): Choice[] {
  const { owner, name, teams } = scope;
  if (teams.length === 0) return [];
  const to = (of: ConsoleScope['owner']) => withOwner('/console', { owner: of });
  return [
    { path: to('all'), label: 'All products', mark: icon('boxes'), isCurrent: owner === 'all' },
    { path: to(ME), label: name, mark: avatar(name), isCurrent: owner === ME },
    ...teams.map((team) => ({
      path: to(team),
      label: team.name,
      mark: avatar(team.name),
      isCurrent: typeof owner === 'object' && owner.id === team.id,
    })),
  ];
}

function nameOf(scope: ConsoleScope): string {
  const { owner, name } = scope;
  if (typeof owner === 'object') return owner.name;
  return isOfAll(scope) ? 'All products' : name;
}

/** Somebody without a team has no other products to see. */
function isOfAll({ owner, teams }: ConsoleScope): boolean {
  return owner === 'all' && teams.length > 0;
}

function markOf(scope: ConsoleScope): HtmlSafeString {
  return isOfAll(scope)
    ? html`<span class="avatar">${icon('boxes')}</span>`
    : avatar(nameOf(scope));
}

const SCOPED: readonly ConsolePath[] = ['/console', '/console/payouts', '/console/statements'];

function isScoped(path: ConsolePath): boolean {
  return SCOPED.includes(path);
}

/** The page for the products of the same owner. */
export function withOwner(path: ConsolePath, { owner }: Pick<ConsoleScope, 'owner'>): string {
  if (owner === 'all') return path;
  return `${path}?owner=${typeof owner === 'object' ? owner.id : owner}`;
}
