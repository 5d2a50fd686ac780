// Parts of the steps: commands to copy, whole programs, and what else there is.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { readProgram, type Origins } from '../../docs/guide-text.ts';
import { copyable } from '../../html/copy.ts';
import { highlight } from '../../html/highlight.ts';
import { button } from '../../html/parts/button.ts';
import { code, type Program } from '../../html/parts/code.ts';

export function command(id: string, text: string): HtmlSafeString {
  return code({ id, programs: [{ language: 'Shell', text: highlight(text, 'sh') }] });
}

export function guide(name: string, label: string): HtmlSafeString {
  return html`<p>
    <small>Guide: <a href="/docs/${name}">${label}</a></small>
  </p>`;
}

/** Stands until something was seen; nothing tells the page of it. */
export function waiting(
  words: HtmlSafeString | string,
  check: { text: string; path: string },
): HtmlSafeString {
  return html`<div class="waiting">
    <span>${words}</span>${button({ text: check.text, size: 'small', href: check.path })}
  </div>`;
}

/** Names the ones that the commands do not use. */
export function alsoEnabled(others: HtmlSafeString[]): HtmlSafeString | '' {
  if (others.length === 0) return '';
  return html`Also enabled:
  ${others.map((other, index) => html`${index === 0 ? '' : ', '}${other}`)}.`;
}

type Listing = {
  /** The guide that says where the code is kept and tried. */
  guide: string;
  language: string;
  origins: Origins;
  /** The name of the language. */
  name: string;
  file: string;
  /** What must be there before it runs. */
  setUp?: string;
  run: string;
};

/** Programs by guide, language and addresses: few, and long to colour. */
const programs = new Map<string, HtmlSafeString | string>();

function coloured(at: string, language: string, origins: Origins): HtmlSafeString | string {
  const key = `${at} ${language} ${origins.baseUrl} ${origins.simulatorUrl}`;
  const text = programs.get(key) ?? highlight(readProgram(at, language, origins), language);
  programs.set(key, text);
  return text;
}

/** A whole program of a guide, with the commands that run it. */
export function program(props: Listing): Program {
  const { guide: at, language, origins, name, file, setUp, run } = props;
  const id = `${at}-${language}`;
  const shell = (name: string, label: string, text: string) =>
    html`<p>${copyable({ id: `${name}-${id}`, label, text, isBlock: true })}</p>`;
  return {
    language: name,
    text: coloured(at, language, origins),
    after: html`${
        setUp === undefined
          ? ''
          : html`<p>Prepare a folder:</p>
              ${shell('set-up', `command that prepares ${file}`, setUp)}`
      }
      <p>Save the program as <code>${file}</code> and run it:</p>
      ${shell('run', `command that runs ${file}`, run)}`,
  };
}
