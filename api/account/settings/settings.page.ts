import { html, type HtmlSafeString } from '@prairielearn/html';
import type { View } from '../../http/route.ts';
import { icon } from '../../html/icon.ts';
import { pageHead } from '../../html/parts/page-head.ts';

const SECTIONS = [
  { path: '/settings/profile', label: 'Profile', icon: 'user-round' },
  { path: '/settings/security', label: 'Security', icon: 'lock' },
] as const;

type Section = (typeof SECTIONS)[number]['path'];

/** Makes a page of the settings, with the way to the others. */
export function settingsPage(props: { path: Section; content: HtmlSafeString }): View {
  const current = SECTIONS.find(({ path }) => path === props.path)!;
  return {
    title: current.label,
    area: 'account',
    side: {
      label: 'Settings',
      name: 'Settings',
      mark: icon('settings', 18),
      groups: [{ name: 'Settings', links: SECTIONS }],
      current: props.path,
    },
    heading: pageHead({ title: current.label }),
    content: html`<div class="settings">${props.content}</div>`,
  };
}
