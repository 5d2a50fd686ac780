// The mail as HTML: no picture, no font and no style sheet from elsewhere.
import { html, unsafeHtml, type HtmlSafeString } from '@prairielearn/html';

export type Link = { link: string; button: string };

export type MailWords = Link & {
  subject: string;
  /** Is the subject without one. */
  heading?: string;
  greeting: string;
  /** A line break in a paragraph is kept. */
  lines: string[];
  /** What was paid for. */
  item?: { name: string; line: string; amount: string };
  facts?: Record<string, string>;
  /** Another link, after the one that the mail is about. */
  also?: Link | null;
  /** Is said below everything else in the card. */
  note?: string;
  /** Why the person gets this mail. */
  reason: string;
};

const FONT =
  "font-family: -apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";
const WRAP = 'overflow-wrap: anywhere; word-break: break-word';
const BODY = `font-size: 15px; line-height: 24px; ${WRAP}`;
const SMALL = `font-size: 13px; line-height: 20px; ${WRAP}`;
const RULE = 'border-top: 1px solid #e4e4de';

/** Mail programs that know dark colours read them here; all others show the inline ones. */
const DARK = `
  :root { color-scheme: light dark; supported-color-schemes: light dark; }
  @media (max-width: 480px) { .card { padding: 24px 20px !important; } }
  @media (prefers-color-scheme: dark) {
    .page { background-color: #0f1112 !important; }
    .card { background-color: #16181a !important; }
    .card, .rule { border-color: #272a2c !important; }
    .ink { color: #edeeeb !important; }
    .soft { color: #b0b4b7 !important; }
    .dim { color: #969b9f !important; }
    .mark { background-color: #4ccb97 !important; }
    .go { background-color: #4ccb97 !important; color: #04150d !important; }
    .link { color: #4ccb97 !important; }
  }
`;

export function writeHtml(words: MailWords): HtmlSafeString {
  const { subject, lines, reason } = words;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>${subject}</title>
        ${unsafeHtml(`<style>${DARK}</style>`)}
      </head>
      <body class="page" style="margin: 0; padding: 0; background-color: #f3f3ef">
        <div style="display: none; max-height: 0; overflow: hidden">${lines[0] ?? ''}</div>
        <table
          role="presentation"
          class="page"
          width="100%"
          cellpadding="0"
          cellspacing="0"
          bgcolor="#f3f3ef"
          style="background-color: #f3f3ef; ${FONT}"
        >
          <tr>
            <td align="center" style="padding: 32px 12px">
              <table
                role="presentation"
                width="560"
                cellpadding="0"
                cellspacing="0"
                style="width: 100%; max-width: 560px; table-layout: fixed; text-align: left"
              >
                <tr>
                  <td style="padding: 0 2px 16px">${brand()}</td>
                </tr>
                ${card(words)}
                <tr>
                  <td class="dim" style="padding: 20px 4px 0; color: #676b71; ${SMALL}">
                    ${reason}
                  </td>
                </tr>
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html>`;
}

/** The mark, two towers and a wall with its door, is made of cells. */
const MARK = [
  { height: 4, cells: '101' },
  { height: 6, cells: '111' },
  { height: 9, cells: '101' },
];

function brand(): HtmlSafeString {
  const cell = (isWall: boolean, height: number) =>
    html`<td
      ${isWall ? unsafeHtml('class="mark" bgcolor="#0a6b4b"') : ''}
      width="6"
      height="${height}"
      style="width: 6px; height: ${height}px; font-size: 0; line-height: 0${
        isWall ? '; background-color: #0a6b4b' : ''
      }"
    ></td>`;
  return html`<table role="presentation" cellpadding="0" cellspacing="0">
    <tr>
      <td style="padding-right: 10px">
        <table role="presentation" cellpadding="0" cellspacing="0">
          ${MARK.map(
            ({ height, cells }) =>
              html`<tr>
                ${[...cells].map((each) => cell(each === '1', height))}
              </tr>`,
          )}
        </table>
      </td>
      <td class="ink" style="color: #16181a; font-size: 17px; line-height: 24px; font-weight: 600">
        Gatehouse
      </td>
    </tr>
  </table>`;
}

function card(words: MailWords): HtmlSafeString {
  const { heading = words.subject, greeting, lines, item, facts = {}, also, note } = words;
  return html`<tr>
    <td
      class="card"
      bgcolor="#ffffff"
      style="padding: 36px 40px; background-color: #ffffff; border: 1px solid #e4e4de; border-radius: 16px"
    >
      <h1
        class="ink"
        style="margin: 0; color: #16181a; font-size: 24px; line-height: 30px; font-weight: 600; letter-spacing: -0.02em; ${WRAP}"
      >
        ${heading}
      </h1>
      ${[greeting, ...lines].map(paragraph)} ${item ? itemRow(item) : ''} ${actionButton(words)}
      ${also ? otherLink(also) : ''} ${factRows(Object.entries(facts))}
      ${note ? html`<p class="soft" style="margin: 20px 0 0; color: #50545a; ${SMALL}">${note}</p>` : ''}
    </td>
  </tr>`;
}

const paragraph = (text: string) =>
  html`<p class="soft" style="margin: 12px 0 0; color: #50545a; ${BODY}">
    ${text.split('\n').map((line, index) => (index === 0 ? line : html`<br />${line}`))}
  </p>`;

function itemRow({ name, line, amount }: NonNullable<MailWords['item']>): HtmlSafeString {
  return html`<table
    role="presentation"
    class="rule"
    width="100%"
    cellpadding="0"
    cellspacing="0"
    style="margin-top: 24px; ${RULE}; border-bottom: 1px solid #e4e4de; table-layout: fixed"
  >
    <tr>
      <td style="padding: 16px 16px 16px 0">
        <div class="ink" dir="auto" style="color: #16181a; font-weight: 600; ${BODY}">${name}</div>
        <div class="soft" style="color: #50545a; ${SMALL}">${line}</div>
      </td>
      <td class="ink" align="right" width="38%" style="color: #16181a; font-weight: 600; ${BODY}">
        ${amount}
      </td>
    </tr>
  </table>`;
}

/** The words of the link keep the button's 48 pixels, and more where they wrap. */
function actionButton({ link, button }: Link): HtmlSafeString {
  return html`<table
    role="presentation"
    cellpadding="0"
    cellspacing="0"
    style="margin-top: 24px; border-collapse: separate"
  >
    <tr>
      <td class="go" bgcolor="#0a6b4b" style="background-color: #0a6b4b; border-radius: 8px">
        <a
          class="go"
          href="${link}"
          style="display: inline-block; padding: 12px 22px; border-radius: 8px; background-color: #0a6b4b; color: #ffffff; font-weight: 600; text-decoration: none; ${BODY}"
          >${button}</a
        >
      </td>
    </tr>
  </table>`;
}

const otherLink = ({ link, button }: Link) =>
  html`<p style="margin: 16px 0 0; ${BODY}">
    <a class="link" href="${link}" style="color: #0a6b4b">${button}</a>
  </p>`;

function factRows(facts: [string, string][]): HtmlSafeString | string {
  if (facts.length === 0) return '';
  return html`<table
    class="rule"
    width="100%"
    cellpadding="0"
    cellspacing="0"
    style="margin-top: 28px; padding-top: 12px; ${RULE}; border-collapse: separate; table-layout: fixed"
  >
    ${facts.map(
      ([label, value]) =>
        html`<tr>
          <th
            class="soft"
            scope="row"
            align="left"
            valign="top"
            width="34%"
            style="padding: 6px 12px 6px 0; color: #50545a; font-weight: 400; ${SMALL}"
          >
            ${label}
          </th>
          <td
            class="ink"
            align="right"
            valign="top"
            dir="auto"
            style="padding: 6px 0; color: #16181a; text-align: right; ${SMALL}"
          >
            ${value}
          </td>
        </tr>`,
    )}
  </table>`;
}
