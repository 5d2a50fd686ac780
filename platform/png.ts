const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** The length and type before a chunk's data, and the checksum after it. */
const HEAD = 8;
const AROUND = HEAD + 4;

const KEPT = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);
/** How the pixels are meant: the colour profile and the orientation, once each. */
const KEPT_ONCE = new Set(['iCCP', 'eXIf']);
const LONGEST_KEPT_ONCE = 64 * 1_024;

export const isPng = (bytes: Buffer): boolean =>
  bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE);

/**
 * The chunks of a PNG that make its pixels; null where the chain of chunks breaks before its end. A
 * decoder unpacks compressed texts of other chunks while it reads the header, up to 8 MB for each.
 */
export function keepPixels(png: Buffer): Buffer | null {
  const kept = Buffer.allocUnsafe(png.length);
  const once = new Set(KEPT_ONCE);
  let length = png.copy(kept, 0, 0, SIGNATURE.length);
  for (let start = SIGNATURE.length; start + AROUND <= png.length;) {
    const dataLength = png.readUInt32BE(start);
    const end = start + AROUND + dataLength;
    if (end > png.length) return null;
    const type = png.toString('latin1', start + 4, start + HEAD);
    const isKeptOnce = dataLength <= LONGEST_KEPT_ONCE && once.delete(type);
    if (KEPT.has(type) || isKeptOnce) length += png.copy(kept, length, start, end);
    if (type === 'IEND') return kept.subarray(0, length);
    start = end;
  }
  return null;
}
