// The picture that a product's own site shows: drawn with attributes alone, as a page that embeds it
// may allow no styles, and with fixed widths, as fonts differ.

type Badge = { says: string; title: string; fill: string; width: number };

const HEIGHT = 28;
const NAME_WIDTH = 84;
/** Text of 12 px with air around it. */
const PADDING = 10;

const LISTED: Badge = { says: 'Listed', title: 'Listed on Gatehouse', fill: '#17663c', width: 58 };
const NOT_LISTED: Badge = { says: 'Not listed', title: 'Not listed', fill: '#5b616b', width: 78 };

const SEALED: Badge = {
  says: 'Quality seal',
  title: 'Listed on Gatehouse, with the quality seal',
  fill: '#6b4a00',
  width: 92,
};

/** The badge that tells nothing about the product. */
const NEUTRAL: Badge = { says: 'Badge', title: 'Gatehouse', fill: '#5b616b', width: 58 };

/** The size of the badge of a listed product. */
export const BADGE_SIZE = { width: NAME_WIDTH + LISTED.width, height: HEIGHT };

/** The size of the badge of a product with the seal. */
export const SEALED_BADGE_SIZE = { width: NAME_WIDTH + SEALED.width, height: HEIGHT };

export const LISTED_BADGE = draw(LISTED);
export const SEALED_BADGE = draw(SEALED);
export const NOT_LISTED_BADGE = draw(NOT_LISTED);
export const NEUTRAL_BADGE = draw(NEUTRAL);

function draw({ says, title, fill, width }: Badge): string {
  const all = NAME_WIDTH + width;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${all}" height="${HEIGHT}" viewBox="0 0 ${all} ${HEIGHT}" role="img" aria-labelledby="t">
  <title id="t">${title}</title>
  <clipPath id="c"><rect width="${all}" height="${HEIGHT}" rx="6"/></clipPath>
  <g clip-path="url(#c)" aria-hidden="true">
    <rect width="${all}" height="${HEIGHT}" fill="#1f2430"/>
    <rect x="${NAME_WIDTH}" width="${width}" height="${HEIGHT}" fill="${fill}"/>
    <g fill="#ffffff" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, Verdana, sans-serif" font-size="12">
      ${text('Gatehouse', { x: 0, width: NAME_WIDTH })}
      ${text(says, { x: NAME_WIDTH, width })}
    </g>
  </g>
</svg>
`;
}

function text(says: string, { x, width }: { x: number; width: number }): string {
  const length = width - 2 * PADDING;
  return `<text x="${x + PADDING}" y="18" font-weight="600" textLength="${length}" lengthAdjust="spacingAndGlyphs">${says}</text>`;
}
