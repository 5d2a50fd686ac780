import { html, type HtmlSafeString } from '@prairielearn/html';
import type { View } from '../../http/route.ts';
import { sections } from '../../html/section-nav.ts';

const SECTIONS = [
  { path: '/settings/profile', label: 'Profile' },
  { path: '/settings/security', label: 'Security' },
  { path: '/settings/apps', label: 'Connected apps' },
  { path: '/settings/purchases', label: 'Purchases' },
] as const;

type Section = (typeof SECTIONS)[number]['path'];

/** Makes a page of the settings, with the way to the others. */
export function settingsPage(props: { path: Section; content: HtmlSafeString }): View {
  const current = SECTIONS.find(({ path }) => path === props.path)!;
  return {
    title: current.label,
    content: html`
      ${sections({ label: 'Settings', sections: SECTIONS, current: props.path })}
      <div class="settings">
        <h1>${current.label}</h1>
        ${props.content}
      </div>
    `,
  };
}
