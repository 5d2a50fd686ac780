type Node = Record<string, unknown>;

const KINDS = [/^(Software|Web|Mobile)Application$|^VideoGame$/, /^(Product|SoftwareSourceCode)$/];

/**
 * The node of a page's JSON-LD that describes software, else a product. Broken blocks are skipped:
 * pages wrap them in comments or CDATA, break lines within texts and end them with a semicolon.
 */
export function findProduct(blocks: readonly string[]): Node | null {
  const nodes = blocks.flatMap((block) => toNodes(parseBlock(block)));
  for (const kind of KINDS) {
    const found = nodes.find((node) => typesOf(node).some((type) => kind.test(type)));
    if (found) return found;
  }
  return null;
}

/** The first text of a value that may be a list. */
export function readText(value: unknown): string | null {
  return asList(value).find((item) => typeof item === 'string') ?? null;
}

/** The addresses of a value that may be a list, and whose items may be objects. */
export function readAddresses(value: unknown): string[] {
  return asList(value)
    .map((item) => (isNode(item) ? (item['url'] ?? item['contentUrl'] ?? item['@id']) : item))
    .filter((item) => typeof item === 'string');
}

function parseBlock(block: string): unknown {
  // A line break within a text is one that JSON has no room for.
  const line = block.replaceAll(/\p{Cc}+/gu, ' ');
  const inside = line.replace(/^[^{]*?<!\[CDATA\[/, '');
  const start = inside.search(/[{[]/);
  const end = inside.lastIndexOf(']]>');
  const text = inside.slice(start, end < 0 ? undefined : end);
  const last = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  try {
    return JSON.parse(text.slice(0, last + 1));
  } catch {
    return null;
  }
}

/** The nodes of a block, two levels deep: it is a node, a list of nodes, or has a graph. */
function toNodes(value: unknown): Node[] {
  const nodes = asList(value).filter(isNode);
  return nodes.flatMap((node) => [node, ...asList(node['@graph']).filter(isNode)]);
}

function typesOf(node: Node): string[] {
  return asList(node['@type'])
    .filter((type) => typeof type === 'string')
    .map((type) => type.slice(type.lastIndexOf('/') + 1));
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
