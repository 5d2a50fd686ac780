// Texts that sellers write in Markdown, as pages of the store show them.
import MarkdownIt from 'markdown-it';

/** CommonMark without HTML and pictures: its output holds no tag that is not written here or there. */
const markdown = new MarkdownIt('commonmark', { html: false, linkify: true });
markdown.enable('linkify');
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

/** A link leaves the store: an address of Gatehouse itself, without a host, would pass for ours. */
markdown.validateLink = (address) => /^(https?:\/\/|mailto:)/i.test(address);

const { escapeHtml } = markdown.utils;
const { rules } = markdown.renderer;

rules['link_open'] = (tokens, index) => {
  const href = escapeHtml(String(tokens[index]!.attrGet('href')));
  // Without an address it would lead to the page itself.
  return href === '' ? '<a>' : `<a href="${href}" rel="nofollow noopener ugc">`;
};
rules['image'] = (tokens, index) => escapeHtml(tokens[index]!.content);
// The page has the headings above: one level below them never skips one.
rules['heading_open'] = () => '<h3>';
rules['heading_close'] = () => '</h3>\n';
// What scrolls sideways is reached by keyboard too.
const writeCode = (content: string) =>
  `<pre tabindex="0"><code>${escapeHtml(content)}</code></pre>\n`;
rules['fence'] = (tokens, index) => writeCode(tokens[index]!.content);
rules['code_block'] = (tokens, index) => writeCode(tokens[index]!.content);

/** Returns HTML that a page may show as it is. */
export function renderMarkdown(source: string): string {
  return markdown.render(source);
}
