import { html, unsafeHtml, type HtmlSafeString } from '@prairielearn/html';
import type { CurrentUser } from '../../domain/identity/current-user.repository.ts';
import type { Area, View } from '../http/route.ts';
import { assetPath } from './assets.ts';
import { footer } from './footer.ts';
import { header } from './header.ts';
import { icon } from './icon.ts';
import { formToken } from './parts/form-token.ts';
import { notice, type Notice } from './notices.ts';
import { tabs } from './parts/tabs.ts';
import { sideNavigation, tabsOf, type Side } from './side.ts';

type Frame = Omit<View, 'side'> & {
  side?: Side | undefined;
  /** Is undefined after a fault, where nobody knows it. */
  currentUser: CurrentUser | null | undefined;
  signOutToken: string | null;
  isSimulated: boolean;
  baseUrl: string;
  notice: Notice | null;
};

const OUTSIDE = assetPath('outside.css');

/** What an area loads beside the parts of all pages. */
const SHEETS: Record<Area, readonly string[]> = {
  store: [OUTSIDE, assetPath('store.css')],
  account: [OUTSIDE, assetPath('account.css')],
  console: [assetPath('console.css')],
  docs: [OUTSIDE, assetPath('docs.css')],
};

const HANKEN = assetPath('hanken-grotesk-latin-wght-normal.woff2');

/** Every page: works without JavaScript, in light and dark, from a phone's width up. */
export function layout(frame: Frame): HtmlSafeString {
  const { title, description, area = 'store', refreshAfterS, hasCopyButtons = false } = frame;
  const { structuredData } = frame;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${refreshAfterS ? html`<meta http-equiv="refresh" content="${refreshAfterS}" />` : ''}
        <title>${title} | Gatehouse</title>
        ${frame.isNoIndex ? html`<meta name="robots" content="noindex" />` : ''}
        ${frame.canonical === undefined ? '' : html`<link rel="canonical" href="${frame.baseUrl}${frame.canonical}" />`}
        ${description === undefined ? '' : preview(frame, description)}
        ${structuredData === undefined ? '' : jsonLd(structuredData)}
        <link rel="icon" href="${assetPath('icon.svg')}" type="image/svg+xml" />
        <link rel="preload" href="${HANKEN}" as="font" type="font/woff2" crossorigin />
        <link rel="stylesheet" href="${assetPath('base.css')}" />
        ${SHEETS[area].map((path) => html`<link rel="stylesheet" href="${path}" />`)}
        ${hasCopyButtons ? html`<script type="module" src="${assetPath('copy.js')}"></script>` : ''}
      </head>
      ${body(frame, area)}
    </html>`;
}

function body(frame: Frame, area: Area): HtmlSafeString {
  const { currentUser, isSimulated, side, section = null, isFocused = false, search = '' } = frame;
  const isWide = side !== undefined && area !== 'docs' && area !== 'account';
  const hasSearch = (area === 'store' || area === 'account') && !isFocused;
  return html`<body class="${area} ${isWide ? 'wide' : ''}">
    <a class="skip" href="#content">Skip to content</a>
    ${header({
      currentUser,
      section,
      isSimulated,
      hasSearch,
      isFocused,
      search,
      signOut: signOut(frame),
    })}
    ${side === undefined ? main(frame) : beside(side, frame)}
    ${isWide ? '' : footer({ isSimulated, hasColumns: area === 'store' && !isFocused })}
  </body>`;
}

function beside(side: Side, frame: Frame): HtmlSafeString {
  return html`<div class="with-side">${sideNavigation(side)} ${main(frame)}</div>`;
}

function main({ notice: said, heading, side, content }: Frame): HtmlSafeString {
  const tabbed = side === undefined ? [] : tabsOf(side);
  return html`<main id="content">
    ${said === null ? '' : notice(said)}
    ${side === undefined ? '' : html`<p class="print-only">${side.name}</p>`}
    ${heading === undefined ? '' : html`<div class="page-head">${heading}</div>`}
    ${
      side === undefined || tabbed.length === 0
        ? ''
        : tabs({ label: 'Section', tabs: tabbed, current: side.current })
    }
    ${content}
  </main>`;
}

function preview({ title, image, baseUrl }: Frame, description: string): HtmlSafeString {
  return html`<meta name="description" content="${description}" />
    <meta property="og:title" content="${title}" />
    <meta property="og:description" content="${description}" />
    ${
      image
        ? html`<meta property="og:image" content="${baseUrl}${image.path}" />
            <meta property="og:image:width" content="${image.width}" />
            <meta property="og:image:height" content="${image.height}" />`
        : ''
    }`;
}

/** No `<` is left in it: it would end the element. */
function jsonLd(data: Record<string, unknown>): HtmlSafeString {
  const text = JSON.stringify(data).replaceAll('<', String.raw`\u003c`);
  return html`<script type="application/ld+json">
    ${unsafeHtml(text)}
  </script>`;
}

function signOut({ currentUser, signOutToken }: Frame): HtmlSafeString | '' {
  if (!currentUser) return '';
  return html`<form class="inline" method="post" action="/sign-out">
    ${formToken(signOutToken ?? '')}
    <button class="quiet" title="Signed in as ${currentUser.handle}">
      ${icon('log-out')}Sign out
    </button>
  </form>`;
}
