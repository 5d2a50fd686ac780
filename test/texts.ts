// Writes what people read: the texts of all pages, mails, notices and commands, by file.
import { globSync, readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'oxc-parser';

const FILES = globSync([
  'api/**/*.ts',
  'activities/mail/*.ts',
  'domain/alerts/alert-kind.ts',
  'domain/audit/audit-actions.ts',
  'domain/billing/receipts/receipt.ts',
  'domain/teams/permissions.ts',
  'domain/webhooks/events.schema.ts',
  'packages/simulator/**/*.ts',
  'dev/mail/mailbox.page.ts',
  'scripts/admin/*.ts',
]).toSorted();

const SHOWN_ATTRIBUTES = /\s(?:aria-label|title|alt|placeholder)="([^"]+)"/g;
/** Attributes without a value, as templates of their own. */
const ATTRIBUTES = new Set(['checked', 'hidden', 'open', 'required', 'selected']);
const BLOCKS =
  /<\/?(?:p|h\d|li|ul|ol|dt|dd|dl|td|th|tr|div|section|article|label|button|option|summary|legend|small|br|title|form|nav|header|footer|main|hgroup|fieldset|select)\b[^>]*>/g;

for (const file of FILES) {
  const texts = textsOf(file);
  if (texts.length > 0) console.log(`\n== ${file}\n${texts.join('\n')}`);
}

function textsOf(file: string): string[] {
  const found = new Set<string>();
  const templates = new Set<unknown>();
  const { program } = parseSync(file, readFileSync(file, 'utf8'));
  new Visitor({
    TaggedTemplateExpression({ tag, quasi }) {
      templates.add(quasi);
      const isHtml = tag.type === 'Identifier' && tag.name === 'html';
      if (isHtml) for (const line of linesOf(joined(quasi.quasis))) found.add(line);
    },
    TemplateLiteral(literal) {
      const text = joined(literal.quasis);
      if (!templates.has(literal) && isSentence(text)) found.add(text);
    },
    Literal({ value }) {
      if (typeof value === 'string' && isSentence(value)) found.add(value);
    },
  }).visit(program);
  return [...found];
}

/** What stands for a value is shown as `{}`. */
function joined(quasis: readonly { value: { raw: string; cooked: string | null } }[]): string {
  return quasis.map(({ value }) => value.cooked ?? value.raw).join('{}');
}

function linesOf(markup: string): string[] {
  const shown = [...markup.matchAll(SHOWN_ATTRIBUTES)].map(([, text]) => text!);
  const lines = markup
    .replaceAll(BLOCKS, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .split(/\n\s*\n|\n(?=\s*\{\}\s*\n)/);
  return [...lines, ...shown]
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => /[a-z]{2}/i.test(line.replaceAll('{}', '')) && !ATTRIBUTES.has(line));
}

/** Words with a capital or with spaces; a path, a code, a class or a statement is none. */
function isSentence(text: string): boolean {
  if (/^(select|insert|update|delete|with|from|where|and|order|values)\b.*\b\w+ /is.test(text))
    return false;
  if (/[<>=]|::|: *[a-z0-9-]+;|^\W*[/.#]|^https?:/.test(text)) return false;
  return /^[A-Z][a-z]/.test(text) || /[a-z]{2,} [a-z]/i.test(text);
}
