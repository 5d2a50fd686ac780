/** A WebP of one pixel. */
export const PIXEL = Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64');

type Look = { width?: number; height?: number; background?: string };

/** A PNG of one colour, as a form sends it. */
export async function pictureFile(look: Look = {}): Promise<File> {
  const { width = 300, height = 200, background = '#a03060' } = look;
  const { default: sharp } = await import('sharp'); // takes time, and few tests need it
  const canvas = sharp({ create: { width, height, channels: 3, background } });
  const bytes = await canvas.png().toBuffer();
  return new File([new Uint8Array(bytes)], 'picture.png', { type: 'image/png' });
}
