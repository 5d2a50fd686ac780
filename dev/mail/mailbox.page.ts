import { createHash } from 'node:crypto';
import { html, unsafeHtml, type HtmlSafeString } from '@prairielearn/html';

export interface Mail {
  id: number;
  receivedAt: string;
  from: string;
  to: string[];
  subject: string;
  text: string;
  /** Is null where a mail is text alone. */
  html: string | null;
}

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; }
article { border-top: 1px solid GrayText; padding: 1rem 0; }
h2 { font-size: 1.1rem; margin: 0; }
p { margin: 0; }
pre { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; }
summary { cursor: pointer; padding: .5rem 0; }
iframe { width: 100%; height: 44rem; border: 1px solid GrayText; border-radius: .5rem; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

export const MAILBOX_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Anybody may have written a mail: it has inline styles, and loads and runs nothing. */
export const MAIL_POLICY = `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox`;

const ADDRESS = /(https?:\/\/[^\s<>"]+)/;

export function mailboxPage(mails: readonly Mail[]): HtmlSafeString {
  return shell(
    `Mailbox (${mails.length})`,
    html`<h1>Mailbox</h1>
      <p>
        Every email that Gatehouse sent on this machine, newest first. No email left the machine.
      </p>
      ${mails.length === 0 ? html`<p>No emails yet.</p>` : ''}
      ${mails.map((mail, index) => mailArticle(mail, index === 0))}`,
  );
}

/** A page of this server. */
export function shell(title: string, content: HtmlSafeString): HtmlSafeString {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        ${unsafeHtml(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html>`;
}

/** The HTML of the newest mail is open. */
function mailArticle(mail: Mail, isNewest: boolean): HtmlSafeString {
  return html`<article>
    <h2>${mail.subject}</h2>
    <p>To ${mail.to.join(', ')} · from ${mail.from} · <time>${mail.receivedAt}</time></p>
    ${mail.html === null ? '' : asHtml(mail, isNewest)}
    <details ${mail.html === null || !isNewest ? 'open' : ''}>
      <summary>As text</summary>
      <pre>${mail.text.split(ADDRESS).map(linkOrText)}</pre>
    </details>
  </article>`;
}

function asHtml({ id, subject }: Mail, isOpen: boolean): HtmlSafeString {
  return html`<details ${isOpen ? 'open' : ''}>
    <summary>As HTML</summary>
    <iframe src="/mails/${id}" title="${subject}" loading="lazy"></iframe>
  </details>`;
}

/** The links of a mail open beside it. */
export function toShownMail(mailHtml: string): string {
  return mailHtml.replace('<head>', '<head><base target="_blank" />');
}

// Splitting by a pattern in parentheses leaves text and addresses in turn.
function linkOrText(part: string, index: number): HtmlSafeString | string {
  return index % 2 === 1 ? html`<a href="${part}" rel="noreferrer">${part}</a>` : part;
}
