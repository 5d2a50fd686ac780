import { html, type HtmlSafeString } from '@prairielearn/html';
import { icon, type IconName } from '../icon.ts';

type Tone = 'ok' | 'info' | 'warn' | 'bad' | 'neutral' | 'line';

type Pill = {
  /** A state is always a word too. */
  word: string;
  tone: Tone;
  /** The state may change by itself: a dot stands before it. */
  isLive?: boolean;
  /** Stands before the word, instead of a dot. */
  mark?: HtmlSafeString;
  /** The state by its code, for programs. */
  state?: string;
};

export function pill({ word, tone, isLive = false, mark, state }: Pill): HtmlSafeString {
  const live = isLive ? 'live' : '';
  const code = state === undefined ? '' : html`data-state="${state}"`;
  return html`<span class="pill ${tone} ${live}" ${code}>${mark ?? ''}${word}</span>`;
}

/** A fact beside a name, with its icon. */
export function tag(name: IconName, words: string): HtmlSafeString {
  return html`<span class="tag">${icon(name)}${words}</span>`;
}
