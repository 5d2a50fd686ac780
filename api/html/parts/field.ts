// What a form asks for: a text, one of several, what a list is searched for.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { icon } from '../icon.ts';

export type Field = {
  label: string;
  name: string;
  type?: 'text' | 'email' | 'password' | 'file' | 'url' | 'date' | 'datetime-local';
  value?: string;
  autocomplete?: string;
  hint?: string;
  /** The validation message of the field. */
  problem?: string | null | undefined;
  isRequired?: boolean;
  /** Marks the field as invalid; the message stands in `#problem`. */
  isInvalid?: boolean;
  /** Text of several lines. */
  rows?: number;
  /** The unit of the value, such as a currency. */
  unit?: string;
  /** Its label says so. */
  isOptional?: boolean;
  /** A way out at the right of the label, read after the field. */
  beside?: { path: string; text: string; label: string };
};

export type Select = {
  label: string;
  name: string;
  options: { value: string; label: string }[];
  value?: string;
  hint?: string;
  problem?: string | null | undefined;
  /** Stands above a list with its value alone in sight. */
  isBare?: boolean;
};

/** A labelled input, or with `rows` a text of several lines. */
export function field(props: Field): HtmlSafeString {
  const { label, name, hint, problem, unit, isOptional, beside } = props;
  const input =
    unit === undefined
      ? control(props)
      : html`<span class="with-unit">${control(props)}<span class="unit">${unit}</span></span>`;
  const labelled = html`<label>
    ${label} ${isOptional ? html`<span class="optional">optional</span>` : ''} ${input}
    ${problem ? html`<small id="${name}-problem" role="alert">${problem}</small>` : ''}
    ${hint && !problem ? html`<small id="${name}-hint">${hint}</small>` : ''}
  </label>`;
  if (beside === undefined) return labelled;
  const { path, text } = beside;
  return html`<div class="beside-label">
    ${labelled} <a href="${path}" aria-label="${beside.label}">${text}</a>
  </div>`;
}

function control(props: Field): HtmlSafeString {
  const { name, type = 'text', value = '', autocomplete = 'off', rows, problem } = props;
  const about = describedBy(props);
  const state = html`${props.isRequired === false ? '' : html`required`}
  ${problem || props.isInvalid ? html`aria-invalid="true"` : ''}
  ${about === null ? '' : html`aria-describedby="${about}"`}`;
  if (rows !== undefined) {
    // Browsers drop the first line break, which may be the text's own.
    return html`<textarea name="${name}" rows="${rows}" ${state}>${'\n'}${value}</textarea>`;
  }
  return html`<input
    type="${type}"
    name="${name}"
    value="${type === 'password' ? '' : value}"
    autocomplete="${autocomplete}"
    ${state}
  />`;
}

type SearchField = {
  label: string;
  name: string;
  value: string;
  maxLength: number;
  placeholder?: string;
  /** The pattern that browsers check. */
  pattern?: string;
  isRequired?: boolean;
  /** Stands above a list with its placeholder alone in sight. */
  isBare?: boolean;
};

/** What a list is searched for: a name or an ID, which no browser completes or corrects. */
export function searchField(props: SearchField): HtmlSafeString {
  const { label, name, value, maxLength, placeholder, pattern, isRequired = false } = props;
  return html`<label ${props.isBare ? html`class="find"` : ''}>
    ${props.isBare ? icon('search') : label}
    <input
      ${props.isBare ? html`aria-label="${label}"` : ''}
      name="${name}"
      value="${value}"
      ${placeholder === undefined ? '' : html`placeholder="${placeholder}"`}
      ${pattern === undefined ? '' : html`pattern="${pattern}"`}
      maxlength="${maxLength}"
      ${isRequired ? html`required` : ''}
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
    />
  </label>`;
}

/** An instant without a zone, which the label says is UTC; empty, there is none. */
export const INSTANT = { type: 'datetime-local', isRequired: false } as const;

/** One of several that the page knows. */
export function select(props: Select): HtmlSafeString {
  const { label, name, options, value, problem } = props;
  const about = describedBy(props);
  return html`<label ${props.isBare ? html`class="find"` : ''}>
    ${props.isBare ? '' : label}
    <select
      name="${name}"
      ${props.isBare ? html`aria-label="${label}"` : ''}
      ${problem ? html`aria-invalid="true"` : ''}
      ${about === null ? '' : html`aria-describedby="${about}"`}
    >
      ${options.map(
        (option) =>
          html`<option value="${option.value}" ${option.value === value ? html`selected` : ''}>
            ${option.label}
          </option>`,
      )}
    </select>
    ${about === null ? '' : remark(about, props)}
  </label>`;
}

function remark(id: string, { problem, hint }: Pick<Field, 'problem' | 'hint'>) {
  return problem
    ? html`<small id="${id}" role="alert">${problem}</small>`
    : html`<small id="${id}">${hint}</small>`;
}

function describedBy({ name, problem, hint, isInvalid }: Omit<Field, 'type'>): string | null {
  if (problem) return `${name}-problem`;
  if (isInvalid) return 'problem';
  return hint ? `${name}-hint` : null;
}
