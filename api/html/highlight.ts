// Colours code by the classes of its tokens: the style sheet has the colours.
import { createRequire } from 'node:module';
import { unsafeHtml, type HtmlSafeString } from '@prairielearn/html';

type Highlighter = {
  registerLanguage(name: string, grammar: unknown): void;
  highlight(text: string, options: { language: string }): { value: string };
};

// An import would bring the library's types, and with them those of a browser into every file.
const require = createRequire(import.meta.url);

const hljs: Highlighter = require('highlight.js/lib/core');

/** The grammars by the name that a fence in Markdown gives their language. */
const GRAMMARS = {
  ts: 'typescript',
  python: 'python',
  go: 'go',
  ruby: 'ruby',
  php: 'php',
  sh: 'bash',
  json: 'json',
  html: 'xml',
  yaml: 'yaml',
  sql: 'sql',
};

for (const [name, file] of Object.entries(GRAMMARS)) {
  hljs.registerLanguage(name, require(`highlight.js/lib/languages/${file}`));
}

/** Keyword, string, function, number, comment: the colours that there are. */
const TOKENS: Record<string, string> = {
  ...byToken('k', 'keyword literal meta name'),
  ...byToken('s', 'string regexp symbol'),
  ...byToken('f', 'title attr attribute built_in type'),
  ...byToken('n', 'number'),
  ...byToken('c', 'comment quote'),
};

function byToken(token: string, scopes: string): Record<string, string> {
  return Object.fromEntries(scopes.split(' ').map((scope) => [scope, token]));
}

/** Text in a language without a grammar stays as it is. */
export function highlight(text: string, language: string): HtmlSafeString | string {
  if (!Object.hasOwn(GRAMMARS, language)) return text;
  const { value } = hljs.highlight(text, { language });
  return unsafeHtml(keepColoured(value));
}

/** JSON in lines with colours; what is no JSON is shown as it is. */
export function prettyJson(text: string): HtmlSafeString | string {
  try {
    return highlight(JSON.stringify(JSON.parse(text), null, 2), 'json');
  } catch {
    return text;
  }
}

/** Scopes without a colour, such as punctuation or a language in another, need no element. */
function keepColoured(marked: string): string {
  const open: (string | undefined)[] = [];
  return marked.replaceAll(
    /<span class="(?:hljs-)?(?<scope>\w+)[^"]*">|<\/span>/g,
    (tag, scope) => {
      if (tag === '</span>') return open.pop() === undefined ? '' : tag;
      const token = TOKENS[scope];
      open.push(token);
      return token === undefined ? '' : `<span class="tok-${token}">`;
    },
  );
}

const NAMES: Record<string, string> = {
  ts: 'TypeScript',
  python: 'Python',
  go: 'Go',
  ruby: 'Ruby',
  php: 'PHP',
  sh: 'Terminal',
  json: 'JSON',
  html: 'HTML',
  yaml: 'YAML',
  sql: 'SQL',
  mermaid: 'Mermaid',
};

/** A program with the name of its language, for the part that shows code. */
export function toProgram(language: string, text: string) {
  const name = language === 'sh' && text.startsWith('curl ') ? 'curl' : NAMES[language];
  return { language: name ?? 'Text', text: highlight(text.trimEnd(), language) };
}
