export type Forge = 'github' | 'gitlab' | 'codeberg';

export type RepositoryAddress = { forge: Forge; path: string };

const FORGES: Partial<Record<string, Forge>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'codeberg.org': 'codeberg',
};

const SEGMENT = /^(?!\.{1,2}$)[\w.-]{1,100}$/;
const LONGEST_ADDRESS = 500;
/** GitLab nests groups. */
const MOST_SEGMENTS = 12;

/** The repository that a page of a forge belongs to; null where there is none. */
export function parseRepositoryAddress(text: string): RepositoryAddress | null {
  const url = text.length > LONGEST_ADDRESS ? null : URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  if (url.port || url.username || url.password) return null;
  const forge = FORGES[url.hostname.replace(/^www\./, '')];
  if (forge === undefined) return null;
  const [page = ''] = url.pathname.split('/-/'); // GitLab has its own pages behind it
  const all = page.split('/').filter((segment) => segment !== '');
  const segments = forge === 'gitlab' ? all : all.slice(0, 2);
  const last = segments.at(-1)?.replace(/\.git$/, '') ?? '';
  const path = [...segments.slice(0, -1), last];
  if (path.length < 2 || path.length > MOST_SEGMENTS) return null;
  return path.every((segment) => SEGMENT.test(segment)) ? { forge, path: path.join('/') } : null;
}
