import { html, type HtmlSafeString } from '@prairielearn/html';
import type { PersonLine } from '../../../domain/identity/operators/people-list.repository.ts';
import { factList } from '../../html/parts/facts.ts';

/** The answers of a builder's latest request; empty for a person who never requested. */
export function answersOf({ sells, place, contact }: PersonLine): HtmlSafeString | '' {
  if (sells === null) return '';
  return factList([
    ['Sells', html`<span class="typed" data-sells>${sells}</span>`],
    ['To be seen at', html`<span class="id">${place}</span>`],
    ['Can be reached by', html`<span class="id">${contact}</span>`],
  ]);
}
