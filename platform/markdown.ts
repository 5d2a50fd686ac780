// Texts that sellers write in Markdown, as pages of the store show them.
import MarkdownIt from 'markdown-it';
import sanitizeHtml from 'sanitize-html';

const markdown = new MarkdownIt('commonmark', { html: false, linkify: true });
markdown.enable('linkify');
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

/** A link leaves the store: an address of Gatehouse itself, without a host, would pass for ours. */
markdown.validateLink = (address) => /^(https?:\/\/|mailto:)/i.test(address);

/** A picture is its text. */
markdown.renderer.rules['image'] = (tokens, index) =>
  markdown.utils.escapeHtml(tokens[index]!.content);

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

/** What a page may show, whatever the renderer lets through. */
const SANITIZED: sanitizeHtml.IOptions = {
  allowedTags: 'p ul ol li blockquote pre code em strong h3 hr br a'.split(' '),
  allowedAttributes: { a: ['href', 'rel'], ol: ['start'], pre: ['tabindex'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  transformTags: {
    // The page has the headings above: one level below them never skips one.
    ...Object.fromEntries(HEADINGS.map((heading) => [heading, 'h3'])),
    // Without an address it would lead to the page itself.
    a: (tagName, { href }) => ({
      tagName,
      attribs: href ? { href, rel: 'nofollow noopener ugc' } : {},
    }),
    // What scrolls sideways is reached by keyboard too.
    pre: sanitizeHtml.simpleTransform('pre', { tabindex: '0' }),
  },
};

/** Returns HTML that a page may show as it is. */
export function renderMarkdown(source: string): string {
  return sanitizeHtml(markdown.render(source), SANITIZED);
}
