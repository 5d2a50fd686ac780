import { html, type HtmlSafeString } from '@prairielearn/html';
import { copyable } from '../html/copy.ts';
import { writeCount } from '../html/numbers.ts';
import { trail } from '../html/parts/page-head.ts';
import { toProgram } from '../html/highlight.ts';
import { icon } from '../html/icon.ts';
import { code } from '../html/parts/code.ts';
import { pill } from '../html/parts/pill.ts';
import type { View } from '../http/route.ts';
import { REFERENCE, referenceFrame } from './docs-frame.ts';
import { titleOf } from './guide-text.ts';
import type { Answer, Operation, Reference } from './reference.ts';
import { renderInline } from './render-guide.ts';
import type { Field } from './schema-fields.ts';
import { writeExamples } from './write-examples.ts';

const CREDENTIALS: Record<string, string> = {
  key: 'API key',
  oauth2: 'person’s token',
  token: 'person’s token',
  client: 'client id and secret',
};

/** The operations by group, and what holds for all of them. */
export function referencePage(reference: Reference): View {
  const { baseUrl, description, groups, schemes } = reference;
  const [lede = '', ...others] = description;
  return {
    ...referenceFrame(reference, REFERENCE, 'reference'),
    title: 'API reference',
    description: lede,
    content: html`<div class="docs-front">
      <h1>API reference</h1>
      <p class="lede">${renderInline(lede)}</p>
      <p class="base-address">
        <span>Base address</span>
        ${copyable({ id: 'base-address', label: 'base address', text: baseUrl })}
      </p>
      ${others.map((paragraph) => html`<p>${renderInline(paragraph)}</p>`)}
      <p>
        The same as a document for programs: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).
        The guide <a href="/docs/access#generate-a-client">${titleOf('access')}</a> names generators
        that were tried with it.
      </p>
      ${groups.map(
        ({ name, id, operations }) =>
          html`<section>
            <h2 id="${id}">${name}</h2>
            <ul class="operations">
              ${operations.map(
                ({ slug, method, target, title, lede: about }) =>
                  html`<li>
                    ${methodOf(method)} <a href="${REFERENCE}/${slug}">${title}</a>
                    ${target === title ? html`<small>${renderInline(about)}</small>` : html`<code>${target}</code>`}
                  </li>`,
              )}
            </ul>
          </section>`,
      )}
      <section>
        <h2 id="credentials">Credentials</h2>
        <dl class="fields">
          ${schemes.map(([name, text]) => fieldOf(SCHEMES[name] ?? name, html`${renderInline(text)}`))}
        </dl>
      </section>
    </div>`,
  };
}

const SCHEMES: Record<string, string> = {
  key: 'API key',
  oauth2: 'Sign-in by OAuth 2.0',
  token: 'Access token',
  client: 'OAuth client',
};

function methodOf(method: Operation['method']): HtmlSafeString {
  return html`<span class="method ${method}">${method}</span>`;
}

function fieldOf(name: string, text: HtmlSafeString): HtmlSafeString {
  return html`<div>
    <dt><b>${name}</b></dt>
    <dd>${text}</dd>
  </div>`;
}

export function operationPage(reference: Reference, operation: Operation): View {
  const { slug, group, title, method, target, lede, paragraphs, parameters, answers } = operation;
  const section = method === 'EVENT' ? 'events' : 'reference';
  return {
    ...referenceFrame(reference, `${REFERENCE}/${slug}`, section),
    title,
    description: lede.replaceAll('`', ''),
    content: html`<div class="reference-page">
      <article class="guide">
        ${trail([{ path: REFERENCE, label: 'API reference' }, { label: group }])}
        <h1>${title}</h1>
        <p class="lede">${renderInline(lede)}</p>
        <p class="operation">
          ${methodOf(method)}
          ${copyable({ id: 'operation', label: method === 'EVENT' ? 'name' : 'path', text: target })}
        </p>
        ${paragraphs.map((text) => html`<p>${renderInline(text)}</p>`)} ${factsOf(operation)}
        ${parameters.map(({ heading, fields }) => fieldList(heading, fields, method === 'EVENT'))}
        ${method === 'EVENT' ? yourAnswer(answers) : html`${success(answers)} ${errors(answers)}`}
      </article>
      <aside class="examples" aria-label="Examples">${examplesOf(operation)}</aside>
    </div>`,
  };
}

function factsOf(operation: Operation): HtmlSafeString {
  const { credentials, isCredentialOptional, limit, guide, method } = operation;
  const names = [...new Set(credentials.map((name) => CREDENTIALS[name] ?? name))];
  const needed = `${names.join(' or ')}${isCredentialOptional ? ', or a public client' : ''}`;
  return html`<p class="meta">
    ${
      method === 'EVENT'
        ? ''
        : html`<span
            >${icon('key-round')}${names.length === 0 ? 'No credential' : capital(needed)}</span
          >`
    }
    ${limit === null ? '' : html`<span>${icon('activity')}${inThousands(limit)}</span>`}
    ${guide === null ? '' : html`<a href="/docs/${guide}">Guide: ${titleOf(guide)}</a>`}
  </p>`;
}

const capital = (text: string) => text.replace(/^./, (first) => first.toUpperCase());

const inThousands = (text: string) => text.replace(/\d+/, (number) => writeCount(Number(number)));

/** What Gatehouse sends says what may be absent; what it takes says what is required. */
function fieldList(heading: string, fields: Field[], isSent = false): HtmlSafeString {
  return html`<h2>${heading}</h2>
    <dl class="fields">
      ${fields.map(
        ({ name, type, isRequired, description, limits }) =>
          html`<div>
            <dt>
              <code>${name}</code> <span>${[type, ...limits].join(', ')}</span>
              ${isSent ? presence(isRequired) : need(isRequired)}
            </dt>
            <dd>${renderInline(description)}</dd>
          </div>`,
      )}
    </dl>`;
}

const need = (isRequired: boolean) =>
  isRequired ? html`<strong>required</strong>` : html`<span>optional</span>`;

const presence = (isAlwaysThere: boolean) =>
  isAlwaysThere ? '' : html`<span>may be absent</span>`;

function success(answers: Answer[]): HtmlSafeString {
  const good = answers.filter(({ isError }) => !isError);
  return html`${good.map((answer) => {
    if (answer.fields.length > 0) return fieldList(`Answer ${answer.status}`, answer.fields, true);
    return html`<h2>Answer ${answer.status}</h2>
      <p>${renderInline(answer.meaning)}</p>`;
  })}`;
}

function errors(answers: Answer[]): HtmlSafeString {
  return html`<h2>Errors</h2>
    <dl class="fields by-status">
      ${answers
        .filter(({ isError }) => isError)
        .map(
          ({ status, meaning }) =>
            html`<div>
              <dt>${pill({ word: status, tone: Number(status) < 500 ? 'warn' : 'bad' })}</dt>
              <dd>${renderInline(meaning)}</dd>
            </div>`,
        )}
    </dl>
    <p><a href="${REFERENCE}/errors">What each error means, and what to do</a></p>`;
}

function yourAnswer([answer]: Answer[]): HtmlSafeString {
  return html`<h2>Your answer</h2>
    <p>${pill({ word: '2XX', tone: 'ok' })} ${renderInline(answer!.meaning)}</p>`;
}

/** Every operation may answer these: their texts stand on the page of errors. */
const GENERAL = new Set(['405', '413', '415', '500', '503']);

function examplesOf({ request, event, answers }: Operation): HtmlSafeString {
  if (event !== null) return code({ id: 'event', programs: [toProgram('json', event)] });
  const [sent, ...others] = writeExamples(request!).map(({ language, text }) =>
    toProgram(language, text),
  );
  const shown = answers.filter(({ status, example }) => example !== null && !GENERAL.has(status));
  const [first, ...later] = shown.map(({ status, example }) => ({
    ...toProgram('json', example!),
    language: status,
  }));
  return html`${code({ id: 'request', programs: [sent!, ...others] })}
  ${first === undefined ? '' : code({ id: 'answer', programs: [first, ...later] })}`;
}
