import sniffEncoding from 'html-encoding-sniffer';

/** How much of a page a declaration of its encoding is searched in. */
const DECLARATION_BYTES = 1_024;

/**
 * The text of a page, without a byte order mark. What does not fit the encoding becomes U+FFFD. A
 * declared UTF-8 that is not valid is windows-1252; without a declaration, valid UTF-8 is UTF-8. An
 * encoding that nobody knows counts as UTF-8.
 */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const label = /;\s{0,9}charset\s{0,9}=\s{0,9}"?([^\s";]{1,40})/i.exec(contentType.slice(0, 200));
  const declared = sniffEncoding(bytes, {
    xml: isXhtml(contentType),
    defaultEncoding: '',
    ...(label && { transportLayerEncodingLabel: label[1]! }),
  });
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, DECLARATION_BYTES));
  const isUnknown = declared === '' && (label !== null || /charset\s{0,9}=/i.test(start));
  if (isUnknown) return new TextDecoder().decode(bytes);
  const isUnicode = declared === '' || declared === 'UTF-8';
  return decode(bytes, isUnicode && !isUtf8(bytes) ? 'windows-1252' : declared || 'UTF-8');
}

export const isXhtml = (contentType: string): boolean =>
  /^\s*application\/xhtml/i.test(contentType);

function decode(bytes: Uint8Array, encoding: string): string {
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes); // a name of the standard for what must not be decoded
  }
}

/** Whether the bytes are UTF-8, of which the last character may be cut off. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
