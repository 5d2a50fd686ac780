// The head of every page: where one is, where one can go, and the account.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { CurrentUser } from '../../domain/identity/current-user.repository.ts';
import { MARK } from './emblems.ts';
import { icon, type IconName } from './icon.ts';
import { avatar } from './parts/avatar.ts';
import { rendered } from './rendered.ts';

/** The parts of the site that the header leads to. */
export type Section =
  | 'store'
  | 'member'
  | 'library'
  | 'console'
  | 'operator'
  | 'docs'
  | 'reference'
  | 'events';

type Props = {
  /** Is undefined after a fault, where nobody knows it. */
  currentUser: CurrentUser | null | undefined;
  section: Section | null;
  isSimulated: boolean;
  /** The search of the store stands in the header. */
  hasSearch: boolean;
  /** One thing is to be done on the page: nothing else is offered. */
  isFocused: boolean;
  /** What the page was searched for. */
  search: string;
  /** The form that ends the session. */
  signOut: HtmlSafeString | '';
};

export function header(props: Props): HtmlSafeString {
  const { currentUser, section, isSimulated, hasSearch, search } = props;
  return html`<header class="top">
    <div>
      <a class="brand" href="/">${MARK}Gatehouse</a>
      ${isInDocs(section) ? html`<a class="brand-part" href="/docs">Docs</a>` : ''}
      ${isSimulated ? SIMULATED_CHIP : ''}
      ${hasSearch ? html`<search class="store-find">${search === '' ? SEARCH_FORM : searchForm(search)}</search>` : ''}
      ${currentUser === undefined || (props.isFocused && !currentUser) ? '' : menu(currentUser, props)}
    </div>
  </header>`;
}

const SIMULATED_CHIP = rendered(
  html`<span class="chip"
    >${icon('flask-conical')}<span>Simulated<span> payments</span></span></span
  >`,
);

/** The search of the store, with what was searched for. */
export function searchForm(value = ''): HtmlSafeString {
  return html`<form class="store-search" method="get" action="/search">
    ${icon('search')}
    <input
      type="search"
      name="q"
      aria-label="Search the store"
      placeholder="Search products"
      value="${value}"
      maxlength="200"
    />
    <button class="primary" aria-label="Search products">Search</button>
  </form>`;
}

const SEARCH_FORM = rendered(searchForm());

function menu(currentUser: CurrentUser | null, props: Props) {
  const { section, hasSearch, isFocused, signOut } = props;
  const links = isFocused ? [] : linksOf(currentUser, section);
  return html`<details class="menu">
    <summary aria-label="Menu">${icon('menu', 20)}</summary>
    <nav aria-label="Main">
      <ul>
        ${links.map(([name, path, label]) => {
          const current = name !== null && name === section ? html`aria-current="true"` : '';
          return html`<li><a href="${path}" ${current}>${label}</a></li>`;
        })}
        ${hasSearch || isFocused || isInDocs(section) ? '' : html`<li>${glyph('/search', 'search', 'Search')}</li>`}
        ${hasSearch ? html`<li class="narrow-only">${glyph('/search', 'search', 'Search')}</li>` : ''}
        ${
          currentUser && !isFocused
            ? html`<li>${glyph('/console/notifications', 'bell', 'Notifications')}</li>`
            : ''
        }
        ${currentUser ? '' : SIGN_IN}
      </ul>
      ${currentUser ? account(currentUser, signOut) : ''}
    </nav>
  </details>`;
}

type Link = [section: Section | null, path: string, label: string];

function isInDocs(section: Section | null): boolean {
  return DOCS_LINKS.some(([name]) => name === section);
}

function linksOf(currentUser: CurrentUser | null, section: Section | null): Link[] {
  if (isInDocs(section)) return [...DOCS_LINKS, ['console', '/console', 'Console']];
  return currentUser ? ownLinks(currentUser) : GUEST_LINKS;
}

const DOCS_LINKS: Link[] = [
  ['docs', '/docs', 'Guides'],
  ['reference', '/docs/reference', 'API reference'],
  ['events', '/docs/reference#events', 'Events'],
];

const GUEST_LINKS: Link[] = [
  ['member', '/member', 'Member'],
  [null, '/docs/new-builder', 'Sell'],
  ['docs', '/docs', 'Docs'],
];

const SIGN_IN = rendered(
  html`<li><a href="/sign-in">Sign in</a></li>
    <li><a class="button" href="/sign-up">Sign up</a></li>`,
);

function ownLinks({ isOperator, lacksPasskey }: CurrentUser): Link[] {
  return [
    ['store', '/', 'Store'],
    ['library', '/library', 'Library'],
    ['console', '/console', 'Console'],
    ...(isOperator || lacksPasskey ? [['operator', '/operator', 'Operator'] as Link] : []),
    ['docs', '/docs', 'Docs'],
  ];
}

function glyph(path: string, name: IconName, label: string): HtmlSafeString {
  return html`<a class="glyph" href="${path}">${icon(name, 18)}<span>${label}</span></a>`;
}

function account({ handle, displayName }: CurrentUser, signOut: HtmlSafeString | '') {
  return html`<details class="me">
    <summary aria-label="Account of ${handle}">${avatar(displayName)}</summary>
    <div>
      <p>${displayName}<br />@${handle}</p>
      <ul>
        <li><a href="/settings/profile">${icon('settings')}Settings</a></li>
        <li><a href="/settings/purchases">${icon('receipt-text')}Purchases</a></li>
        <li><a href="/settings/apps">${icon('plug')}Connected apps</a></li>
        <li>${signOut}</li>
      </ul>
    </div>
  </details>`;
}
