// The card of a page on which one thing is to be done.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { View } from '../http/route.ts';
import { appIcon, MARK, type IconProduct } from '../html/emblems.ts';
import { icon } from '../html/icon.ts';
import type { Destination } from './destination.ts';

type OneStep = Pick<View, 'title' | 'showsSecret'> & {
  /** Is the title where it is absent. */
  heading?: string;
  /** What the step leads to: its icon stands above the heading. */
  destination?: Destination | null;
  /** The reason for the step, in a line. */
  lede?: HtmlSafeString | string;
  /** Attributes of the card. */
  mark?: HtmlSafeString;
  content: HtmlSafeString;
  /** Other ways, below the card. */
  below?: HtmlSafeString;
};

export function oneStepPage(props: OneStep): View {
  const { title, heading = title, destination = null, lede, mark, content, below } = props;
  return {
    title,
    area: 'account',
    isFocused: true,
    ...(props.showsSecret === undefined ? {} : { showsSecret: props.showsSecret }),
    content: html`
      <div class="narrow" ${mark ?? ''}>
        ${destination?.product ? appAndGatehouse(destination.product) : ''}
        <h1>${heading}</h1>
        ${typeof lede === 'string' ? html`<p class="lede">${lede}</p>` : (lede ?? '')} ${content}
      </div>
      ${below === undefined ? '' : html`<div class="below">${below}</div>`}
    `,
  };
}

/** The icon of a product beside the mark: the account of the one is used at the other. */
function appAndGatehouse(product: IconProduct): HtmlSafeString {
  return html`<div class="pair" aria-hidden="true">
    ${appIcon(product, 60)}${icon('arrow-right')}<span class="app-icon s60">${MARK}</span>
  </div>`;
}
