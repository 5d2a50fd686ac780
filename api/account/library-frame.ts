// What a person owns, has paid for and has connected: three pages behind the same tabs.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { tabs } from '../html/parts/tabs.ts';
import type { View } from '../http/route.ts';
import { MY_PURCHASES } from './purchases/my-purchases-path.ts';

export const LIBRARY = '/library';
export const CONNECTED_APPS = '/settings/apps';

const TABS = [
  { path: LIBRARY, label: 'Products' },
  { path: MY_PURCHASES, label: 'Purchases' },
  { path: CONNECTED_APPS, label: 'Connected apps' },
] as const;

type Shown = { path: (typeof TABS)[number]['path']; title: string; content: HtmlSafeString };

export function libraryView({ path, title, content }: Shown): View {
  return {
    title,
    area: 'account',
    section: 'library',
    content: html`<h1>${title}</h1>
      ${tabs({ label: 'Library', tabs: TABS, current: path })} ${content}`,
  };
}
