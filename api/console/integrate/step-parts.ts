// Parts of the steps: commands to copy, whole programs, and what else there is.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { readProgram, type Origins } from '../../docs/guide-text.ts';
import { copyable } from '../../html/copy.ts';

export function command(id: string, label: string, text: string): HtmlSafeString {
  return html`<p>${copyable({ id, label, text, isBlock: true })}</p>`;
}

export function guide(name: string, label: string): HtmlSafeString {
  return html`<p>
    <small>Guide: <a href="/docs/${name}">${label}</a></small>
  </p>`;
}

/** Names the ones that the commands do not use. */
export function alsoEnabled(others: HtmlSafeString[]): HtmlSafeString | '' {
  if (others.length === 0) return '';
  return html`Also enabled:
  ${others.map((other, index) => html`${index === 0 ? '' : ', '}${other}`)}.`;
}

type Program = {
  /** The guide that says where the code is kept and tried. */
  guide: string;
  language: string;
  origins: Origins;
  /** The name of the language, and what the program does. */
  name: string;
  what: string;
  file: string;
  /** What must be there before it runs. */
  setUp?: string;
  run: string;
  /** What the reader fills in; null for nothing. */
  needs: string | null;
};

export function program(props: Program): HtmlSafeString {
  const { guide: at, language, origins, name, what, file, setUp, run, needs } = props;
  const id = `${at}-${language}`;
  return html`<details>
    <summary>${name}: ${what}</summary>
    ${setUp ? command(`set-up-${id}`, `command that prepares ${file}`, setUp) : ''}
    <p>Save this as <code>${file}</code>:</p>
    ${command(id, file, readProgram(at, language, origins))}
    <p>Run it${needs === null ? '' : ` with ${needs}`}:</p>
    ${command(`run-${id}`, `command that runs ${file}`, run)}
  </details>`;
}
