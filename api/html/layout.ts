import { html, type HtmlSafeString } from '@prairielearn/html';
import type { CurrentUser } from '../../domain/identity/current-user.repository.ts';
import { assetPath } from './assets.ts';
import { notice, type Notice } from './notices.ts';
import { CSRF_FIELD } from '../http/csrf.ts';
import type { View } from '../http/route.ts';

type Frame = View & {
  /** Is undefined after a fault, where nobody knows it. */
  currentUser: CurrentUser | null | undefined;
  signOutToken: string | null;
  isSimulated: boolean;
  notice: Notice | null;
};

/** The banner brings its own style sheet: the reference has none of the other pages'. */
export const SIMULATED = html`<link rel="stylesheet" href="${assetPath('banner.css')}" />
  <aside class="banner" aria-label="Notice">Payments are simulated</aside>`;

/** Every page: works without JavaScript, in light and dark, from a phone's width up. */
export function layout({
  title,
  description,
  content,
  isSimulated,
  refreshAfterS,
  hasCopyButtons = false,
  notice: said,
  ...who
}: Frame): HtmlSafeString {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${refreshAfterS ? html`<meta http-equiv="refresh" content="${refreshAfterS}" />` : ''}
        <title>${title} | Gatehouse</title>
        ${description === undefined ? '' : preview(title, description)}
        <link rel="icon" href="${assetPath('icon.svg')}" type="image/svg+xml" />
        <link rel="stylesheet" href="${assetPath('pico.min.css')}" />
        <link rel="stylesheet" href="${assetPath('gatehouse.css')}" />
        ${hasCopyButtons ? html`<script type="module" src="${assetPath('copy.js')}"></script>` : ''}
      </head>
      <body>
        <a class="skip" href="#content">Skip to content</a>
        ${isSimulated ? SIMULATED : ''}
        <header class="container">${navigation(who)}</header>
        <main class="container" id="content">${said === null ? '' : notice(said)} ${content}</main>
        <footer class="container">
          <ul class="links">
            <li>Gatehouse</li>
            <li><a href="/docs">Documentation</a></li>
            ${who.currentUser ? html`<li><a href="/settings/apps">Connected apps</a></li>` : ''}
          </ul>
        </footer>
      </body>
    </html>`;
}

function preview(title: string, description: string): HtmlSafeString {
  return html`<meta name="description" content="${description}" />
    <meta property="og:title" content="${title}" />
    <meta property="og:description" content="${description}" />`;
}

function navigation({ currentUser, signOutToken }: Pick<Frame, 'currentUser' | 'signOutToken'>) {
  return html`<nav aria-label="Main">
    <ul>
      <li><a class="brand" href="/">Gatehouse</a></li>
      <li>${SEARCH_FORM}</li>
    </ul>
    ${
      currentUser === undefined
        ? ''
        : html`<ul>
            ${currentUser ? ownLinks(currentUser, signOutToken) : SIGN_IN}
          </ul>`
    }
  </nav>`;
}

const SEARCH_FORM = html`<search>
  <form class="store-search" method="get" action="/search">
    <input
      type="search"
      name="q"
      aria-label="Search the store"
      placeholder="Search"
      maxlength="100"
    />
    <button class="outline secondary" aria-label="Find products">Find</button>
  </form>
</search>`;

const SIGN_IN = html`<li><a href="/sign-in">Sign in</a></li>
  <li><a href="/sign-up">Sign up</a></li>`;

function ownLinks(currentUser: CurrentUser, signOutToken: string | null) {
  return html`<li><a href="/library">Library</a></li>
    <li><a href="/console">Console</a></li>
    ${currentUser.isOperator || currentUser.lacksPasskey ? html`<li><a href="/operator">Operator</a></li>` : ''}
    <li><a href="/settings/profile">Settings</a></li>
    <li>${signOut(currentUser, signOutToken)}</li>`;
}

function signOut(currentUser: CurrentUser, token: string | null) {
  return html`<form class="sign-out" method="post" action="/sign-out">
    ${formToken(token ?? '')}
    <button class="outline secondary" title="Signed in as ${currentUser.handle}">Sign out</button>
  </form>`;
}

export function formToken(token: string): HtmlSafeString {
  return html`<input type="hidden" name="${CSRF_FIELD}" value="${token}" />`;
}

/** An instant as its exact text and, for people, in UTC to the minute. */
export function instant(at: Date): HtmlSafeString {
  return timeOf(at, '2026-01-31 09:30'.length);
}

/** Shows an instant to the second. */
export function instantToTheSecond(at: Date): HtmlSafeString {
  return timeOf(at, '2026-01-31 09:30:15'.length);
}

function timeOf(at: Date, length: number): HtmlSafeString {
  const exact = at.toISOString();
  return html`<time datetime="${exact}">${exact.slice(0, length).replace('T', ' ')} UTC</time>`;
}

/** The day of it, in UTC. */
export function day(at: Date): HtmlSafeString {
  const exact = at.toISOString();
  return html`<time datetime="${exact}">${exact.slice(0, 10)}</time>`;
}
