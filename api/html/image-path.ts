import type { PictureWidth } from '../../domain/catalog/pictures/picture.ts';

/** Returns the address of a picture of a product; it never shows other bytes. */
export const imagePath = (hash: string, width: PictureWidth) => `/images/${hash}-${width}.webp`;
