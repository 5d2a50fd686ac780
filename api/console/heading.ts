// What stands around the title of a page: the way back above it, facts and actions beside it.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { icon } from '../html/icon.ts';
import type { Frame } from './console-frame.ts';

type Around = {
  /** The page above, and the name of this one below it. */
  trail?: { path: string; label: string; name: HtmlSafeString | string };
  /** A state or a fact after the title. */
  facts?: HtmlSafeString | '';
  actions?: HtmlSafeString | '';
};

export function addToHeading(frame: Frame, { trail, facts = '', actions = '' }: Around): Frame {
  const heading = html`${
    trail === undefined
      ? ''
      : html`<p class="trail">
          <a href="${trail.path}">${trail.label}</a> ${icon('chevron-right')} ${trail.name}
        </p>`
  }
  ${frame.heading} ${facts}
  ${actions === '' ? '' : html`<div class="actions no-print">${actions}</div>`}`;
  return { ...frame, heading };
}
