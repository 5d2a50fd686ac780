// A product's own site and the forges of repositories, so that an import can be tried without a
// network.
import { html, unsafeHtml } from '@prairielearn/html';
import sharp from 'sharp';

export const SITE_PATH = '/site';
export const FORGE_PATH = '/forge';

const NAME = 'Harbour Light';
const TAGLINE = 'Knows when your boat needs you.';
const DESCRIPTION =
  'Harbour Light listens to the battery, the bilge and the mooring lines of a boat. It wakes you ' +
  'when something changes that should not, and is quiet for the rest of the season.';

type Reply = { type: string; body: string | Buffer };

/** What stands at a path; null where nothing does. */
export async function findImported(path: string): Promise<Reply | null> {
  if (path === SITE_PATH) return { type: 'html', body: site() };
  const drawn = PICTURES[path.replace(`${SITE_PATH}/`, '')];
  if (path.startsWith(`${SITE_PATH}/`) && drawn) return { type: 'png', body: await drawn() };
  const json = path.startsWith(FORGE_PATH) ? readForge(path.slice(FORGE_PATH.length)) : null;
  return json === null ? null : { type: 'json', body: JSON.stringify(json) };
}

function site(): string {
  const product = {
    '@context': 'https://schema.org',
    '@type': 'SoftwareApplication',
    name: NAME,
    slogan: TAGLINE,
    description: DESCRIPTION,
    softwareHelp: 'https://harbour-light.example/help',
    screenshot: ['deck.png', 'night.png'].map((name) => `${SITE_PATH}/${name}`),
  };
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${NAME}</title>
        <meta name="description" content="${DESCRIPTION}" />
        <link rel="icon" type="image/svg+xml" href="${SITE_PATH}/icon.svg" />
        <link rel="apple-touch-icon" href="${SITE_PATH}/icon.png" />
        <meta property="og:image" content="${SITE_PATH}/gone.png" />
        ${unsafeHtml(`<script type="application/ld+json">${JSON.stringify(product)}</script>`)}
      </head>
      <body>
        <h1>${NAME}</h1>
        <p>${TAGLINE}</p>
      </body>
    </html>`.toString();
}

const SEA = '#17496b';
const LAMP = '#f7c948';
const SAND = '#efe6d2';

type Block = { left: number; top: number; width: number; height: number; colour: string };

/** Draws blocks of one colour each: this process may have closed its reader of SVG. */
function draw(size: { width: number; height: number; ground: string }, blocks: Block[]) {
  const { width, height, ground: background } = size;
  const layers = blocks.map(({ left, top, colour, ...block }) => ({
    left,
    top,
    input: { create: { ...block, channels: 3 as const, background: colour } },
  }));
  const canvas = sharp({ create: { width, height, channels: 3, background } });
  return canvas.composite(layers).png().toBuffer();
}

const window = { width: 1_280, height: 800 };
const rows = (colour: string): Block[] =>
  [200, 320, 440, 560].map((top) => ({ left: 360, top, width: 760, height: 72, colour }));
const side = (colour: string): Block => ({ left: 0, top: 0, width: 280, height: 800, colour });

const PICTURES: Partial<Record<string, () => Promise<Buffer>>> = {
  'icon.png': () =>
    draw({ width: 512, height: 512, ground: SEA }, [
      { left: 226, top: 180, width: 60, height: 240, colour: SAND },
      { left: 206, top: 110, width: 100, height: 70, colour: LAMP },
    ]),
  'deck.png': () => draw({ ...window, ground: SAND }, [side(SEA), ...rows('#ffffff')]),
  'night.png': () => draw({ ...window, ground: '#0c2436' }, [side('#081924'), ...rows(SEA)]),
};

const VERSIONS = ['2.1.0', '2.0.1', '2.0.0'];

/** Replies of GitHub, Codeberg and GitLab about any repository. */
function readForge(path: string): unknown {
  const [, kind, project, name, ...rest] = path.split('/');
  if (kind === 'repos' && project && name) {
    if (rest[0] === 'releases') return VERSIONS.map(toRelease);
    if (rest.length > 0) return [];
    return { full_name: `${project}/${name}`, description: TAGLINE, topics: TOPICS };
  }
  if (kind !== 'projects' || !project) return null;
  if (name === 'releases') return VERSIONS.map(toRelease);
  if (name !== undefined) return [];
  const path_with_namespace = decodeURIComponent(project);
  return { path_with_namespace, description: TAGLINE, topics: TOPICS };
}

const TOPICS = ['sailing', 'battery', 'alarms'];

function toRelease(version: string, index: number) {
  const day = `2026-0${9 - 2 * index}-14T09:00:00Z`;
  const notes = `- listens to **${version}** new things\n- wakes nobody for a gull`;
  return {
    tag_name: `v${version}`,
    published_at: day,
    released_at: day,
    body: notes,
    description: notes,
  };
}
